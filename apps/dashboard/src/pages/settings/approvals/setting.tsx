import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from '../layout.module.css';

interface SettingProps {
  readonly label: string;
  readonly about: ReactNode;
  /** The default in words. */
  readonly fallback: string;
  /** Whether the tenant sets it itself. */
  readonly set: boolean;
  readonly onReset: () => void;
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** One setting: what it does, where its value comes from, and its control. */
export function Setting({ label, about, fallback, set, onReset, error, children }: SettingProps) {
  return (
    <div className={classes['setting']}>
      <div className={classes['words']}>
        <Text fw={500}>{label}</Text>
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        <Text size="xs" c="dimmed" component="div" mt={2}>
          {set ? `Set by the tenant; the default is ${fallback}. ` : `The default: ${fallback}.`}
          {set && (
            <Anchor
              component="button"
              type="button"
              size="xs"
              onClick={onReset}
              aria-label={`${label}: use the default`}
            >
              Use the default
            </Anchor>
          )}
        </Text>
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
      </div>
      {children}
    </div>
  );
}
