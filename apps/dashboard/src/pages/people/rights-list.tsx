import { Code, Stack, Text } from '@mantine/core';
import { useProjectNames } from './queries.js';
import { Meaning, reach, type Right, sharedWith } from './rights.js';
import classes from './people.module.css';

export interface RightsListProps {
  readonly rights: readonly Right[];
  /** Whom they act for, with that human's own rights: what only one of both may does not count. */
  readonly human?: { readonly name: string; readonly rights: readonly Right[] } | null;
  readonly none: string;
}

/** What somebody may do, in words, each with where it counts and where it comes from. */
export function RightsList({ rights, human = null, none }: RightsListProps) {
  if (rights.length === 0) return <Text c="dimmed">{none}</Text>;
  const groups = Map.groupBy(rights, ({ grant }) => grant.capability);
  return (
    <Stack gap="xs" component="ul" className="hcp-list" aria-label="Rights in words">
      {[...groups].map(([capability, of]) => {
        const all = unique(of);
        const [first] = all;
        return (
          <li key={capability}>
            <Text span>{Meaning(capability)}</Text> <Code>{capability}</Code>{' '}
            {all.length === 1 && first ? (
              <Reach right={first} human={human} />
            ) : (
              <ul className={classes['rights']}>
                {all.map((right) => (
                  <li key={JSON.stringify(right)}>
                    <Reach right={right} human={human} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </Stack>
  );
}

type Human = RightsListProps['human'];

/** Where it counts, and where it comes from. */
function Reach({ right, human }: { right: Right; human: Human }) {
  const projectName = useProjectNames();
  return (
    <Text span size="sm" c="dimmed" className="hcp-value">
      {reach(right.grant, projectName)}
      {right.role === null && ' · by a grant'}
      {typeof right.role === 'string' && ` · by the role ${right.role}`}
      {human && <Shared right={right} human={human} />}
    </Text>
  );
}

function Shared({ right, human }: { right: Right; human: NonNullable<Human> }) {
  const shared = sharedWith(human.rights, right.grant);
  if (shared === 'all') return null;
  return (
    <Text span c="var(--mantine-color-text)">
      {' '}
      · {shared === 'none' ? `does not count: ${human.name} may not` : `only as far as ${human.name} may`}
    </Text>
  );
}

/** The same twice, as a role that is held twice has it, says nothing more. */
const unique = (rights: readonly Right[]): Right[] => [
  ...new Map(rights.map((right) => [JSON.stringify(right), right])).values(),
];
