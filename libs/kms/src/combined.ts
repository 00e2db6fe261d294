import type { Kms, RootKeys } from './port.js';

/** The first place wraps; each opens what it wrapped, so that keys can move from one to another (SPEC B3). */
export function combinedKms(places: readonly [RootKeys, ...RootKeys[]]): Kms {
  const [first] = places;
  return {
    wrap: (plain, place) => first.wrap(plain, place),
    async unwrap(wrapped, place) {
      const owner = places.find((each) => each.owns(wrapped.root_key_id));
      if (!owner) throw new Error('wrapped by another root key');
      return owner.unwrap(wrapped, place);
    },
    primary: () => first.primary(),
    async opens(id) {
      const owner = places.find((place) => place.owns(id));
      return owner ? owner.opens(id) : false;
    },
  };
}
