import { compareBuild, prerelease } from 'semver';

/** Newest first. */
export function byVersionDescending(a: { readonly version: string }, b: { readonly version: string }): number {
  return compareBuild(b.version, a.version);
}

/** The latest by semver; a pre-release only where there is nothing else. */
export function latestOf<T extends { readonly version: string }>(versions: readonly T[]): T | undefined {
  const ordered = [...versions].sort(byVersionDescending);
  return ordered.find(({ version }) => prerelease(version) === null) ?? ordered[0];
}
