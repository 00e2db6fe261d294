import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Role } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { Ask } from '../../parts/ask.js';
import { Loaded } from '../../parts/loading.js';
import { Section } from '../../parts/section.js';
import { PeopleFrame } from './frame.js';
import { peopleChanged, ROLES, useProjectNames } from './queries.js';
import { Meaning, reach } from './rights.js';
import { RoleForm } from './role-form.js';

export function Roles() {
  return (
    <PeopleFrame title="Roles" about="What each role gives. Built-in roles are the same in every tenant.">
      <Content />
    </PeopleFrame>
  );
}

function Content() {
  const query = useQuery(ROLES);
  const [said, setSaid] = useState<string | null>(null);
  const [defining, setDefining] = useState(false);
  return (
    <>
      {said !== null && <Text role="status">{said}</Text>}
      {defining ? (
        <Section title="A new role">
          <RoleForm
            role={null}
            onClose={() => setDefining(false)}
            onDone={(name) => {
              setDefining(false);
              setSaid(`The role ${name} is there. Give it to people and agents on their pages.`);
            }}
          />
        </Section>
      ) : (
        <Group>
          <Button onClick={() => setDefining(true)}>Define a role</Button>
        </Group>
      )}
      <Loaded query={query}>
        {(roles) => (
          <>
            {[...roles]
              .sort((a, b) => Number(a.built_in) - Number(b.built_in))
              .map((role) => (
                <One key={role.name} role={role} onSaid={setSaid} />
              ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function One({ role, onSaid }: { role: Role; onSaid: (said: string) => void }) {
  const [changing, setChanging] = useState(false);
  const [asking, setAsking] = useState(false);
  const { id, name } = role;
  const remove = async (): Promise<void> => {
    if (id === null) return;
    await api.roles.delete(id);
    await peopleChanged();
    onSaid(`The role ${name} was deleted.`);
  };
  return (
    <Section
      title={name}
      actions={
        id === null ? (
          <Badge variant="light" color="gray">
            built in
          </Badge>
        ) : (
          !changing && (
            <Group gap="xs">
              <Button
                size="xs"
                variant="default"
                aria-label={`Change the role ${name}`}
                onClick={() => setChanging(true)}
              >
                Change
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={`Delete the role ${name}`}
                onClick={() => setAsking(true)}
              >
                Delete
              </Button>
            </Group>
          )
        )
      }
    >
      {changing ? (
        <RoleForm
          role={role}
          onClose={() => setChanging(false)}
          onDone={() => {
            setChanging(false);
            onSaid(`The role ${name} was changed, for everyone who has it.`);
          }}
        />
      ) : (
        <Gives role={role} />
      )}
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Delete the role ${escapeInvisible(name)}?`}
        yes="Delete the role"
        danger
        act={remove}
      >
        Everyone who has it loses what it gives, from the next call on. What they hold otherwise stays.
      </Ask>
    </Section>
  );
}

function Gives({ role }: { role: Role }) {
  const projectName = useProjectNames();
  return (
    <Stack component="ul" gap={4} className="hcp-list" aria-label={`What ${role.name} gives`}>
      {role.grants.map((grant) => {
        const where = reach(grant, projectName);
        return (
          <li key={JSON.stringify(grant)}>
            <Text size="sm" className="hcp-value">
              {Meaning(grant.capability)}
              {where !== 'everywhere' && (
                <Text span size="sm" c="dimmed">
                  {' '}
                  · {where}
                </Text>
              )}
            </Text>
          </li>
        );
      })}
    </Stack>
  );
}
