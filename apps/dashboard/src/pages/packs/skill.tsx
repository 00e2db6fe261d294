import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ForeignLines } from '../../parts/foreign.js';
import { Loaded } from '../../parts/loading.js';
import classes from './packs.module.css';
import { skillQuery } from './queries.js';

/** What agents are told before they use it: its lead, or all. Shown as it is written, never as a page of its own making. */
export function Skill({ pack_id }: { pack_id: string }) {
  const [full, setFull] = useState(false);
  const query = useQuery(skillQuery(pack_id, full));
  return (
    <Stack gap="xs" component="section" aria-label="Skill" align="flex-start">
      <Title order={2} size="h4">
        Skill
      </Title>
      <Text size="sm" c="dimmed">
        What agents are told before they use it, in the words of the pack.
      </Text>
      <Loaded query={query}>
        {({ skill }) =>
          skill === null ? (
            <Text>It brings none.</Text>
          ) : (
            <>
              <div className={classes['skill']} tabIndex={0} role="group" aria-label="Text of the skill">
                <ForeignLines text={skill} />
              </div>
              <Button size="xs" variant="default" onClick={() => setFull(!full)}>
                {full ? 'Show the lead only' : 'Show all of it'}
              </Button>
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}
