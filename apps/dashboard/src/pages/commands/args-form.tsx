import { withTheme } from '@rjsf/core';
import { generateTheme } from '@rjsf/mantine';
import type { ObjectFieldTemplateProps, RJSFSchema } from '@rjsf/utils';
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { askTheApi } from './schema.js';

type Args = Record<string, unknown>;

const Form = withTheme<Args>(generateTheme<Args>());

/** The theme's own lays fields out in a grid that inserts `<style>`, which the content security policy refuses. */
function Fields({ properties }: ObjectFieldTemplateProps<Args>) {
  return (
    <Stack gap="sm">
      {properties.map(({ content, name }) => (
        <div key={name}>{content}</div>
      ))}
    </Stack>
  );
}

interface ArgsFormProps {
  readonly schema: RJSFSchema;
  readonly value: Args;
  readonly onChange: (value: Args) => void;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A form made from the schema of a command's arguments. */
export function ArgsForm({ schema, value, onChange, onSubmit, children }: ArgsFormProps) {
  return (
    <Form
      schema={schema}
      formData={value}
      validator={askTheApi}
      showErrorList={false}
      templates={{ ObjectFieldTemplate: Fields }}
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipDefaults' }}
      onChange={({ formData }) => onChange(formData ?? {})}
      onSubmit={onSubmit}
    >
      {children}
    </Form>
  );
}
