import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import { LIMITS_IN_WORDS } from './archive.js';
import { fromDrop, fromInput, type Picked } from './drop.js';
import classes from './packs.module.css';

interface DropZoneProps {
  readonly busy: boolean;
  readonly onPicked: (picked: Promise<Picked | null>) => void;
}

/** Takes a folder or an archive: dropped, or chosen by its two buttons. */
export function DropZone({ busy, onPicked }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const hover = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (!busy) onPicked(fromDrop(event.dataTransfer));
  };
  return (
    <Paper
      withBorder
      p="lg"
      component="section"
      aria-label="Add a pack"
      className={classes['zone'] ?? ''}
      data-over={over || undefined}
      onDragEnter={hover}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Group gap="md" wrap="nowrap" align="flex-start">
        <IconUpload size={22} aria-hidden className="hcp-fixed" />
        <Stack gap="xs">
          <div>
            <Text fw={600}>Drop a pack here</Text>
            <Text size="sm" c="dimmed">
              Its folder, or a .tar.gz of it. It is checked first; nothing is installed before you say so.{' '}
              {LIMITS_IN_WORDS}
            </Text>
          </div>
          <Group gap="xs">
            <Pick label="Choose a folder" folder busy={busy} onPicked={onPicked} />
            <Pick label="Choose an archive" busy={busy} onPicked={onPicked} />
          </Group>
        </Stack>
      </Group>
    </Paper>
  );
}

interface PickProps extends DropZoneProps {
  readonly label: string;
  readonly folder?: boolean;
}

function Pick({ label, folder = false, busy, onPicked }: PickProps) {
  const input = useRef<HTMLInputElement>(null);
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
    const picked = fromInput(currentTarget.files ?? []);
    // The same choice again is a choice.
    currentTarget.value = '';
    if (picked) onPicked(Promise.resolve(picked));
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        onChange={change}
        {...(folder ? { webkitdirectory: '' } : { accept: '.tgz,.tar.gz,.gz,application/gzip' })}
      />
      <Button size="xs" variant={folder ? 'filled' : 'default'} disabled={busy} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
}
