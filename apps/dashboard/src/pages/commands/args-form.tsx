import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { withTheme } from '@rjsf/core';
import { generateTheme } from '@rjsf/mantine';
import type { ErrorSchema } from '@rjsf/utils';
import { argsFault } from '@hcp/core';
import { type ReactNode, useMemo, useState } from 'react';
import { exactArgs } from './exact-args.js';
import { About, Add, Choice, ExactNumber, Fields, GroupFault, OwnName, Tick, TextField } from './field-templates.js';
import { JsonArgs } from './json-args.js';
import { askTheApi, formSchema, isNode, noForm } from './schema.js';

type Args = Record<string, unknown>;

const theme = generateTheme<Args>();
const Form = withTheme<Args>({
  ...theme,
  fields: { ...theme.fields, NumberField: ExactNumber },
  widgets: { ...theme.widgets, SelectWidget: Choice, CheckboxWidget: Tick },
  templates: {
    ...theme.templates,
    BaseInputTemplate: TextField,
    ObjectFieldTemplate: Fields,
    DescriptionFieldTemplate: About,
    FieldErrorTemplate: GroupFault,
    WrapIfAdditionalTemplate: OwnName,
    ButtonTemplates: { ...theme.templates?.ButtonTemplates, AddButton: Add },
  },
});

interface ArgsFormProps {
  /** As the pack declares them. */
  readonly schema: Record<string, unknown> | undefined;
  /** With what would be sent; null while that is nothing. */
  readonly onChange: (args: Args | null) => void;
  readonly onSubmit: () => void;
  /** What the API found wrong; shown at the field that it names. */
  readonly error?: string | null;
  readonly children: ReactNode;
}

/** A form made from the schema of a command's arguments, or where none can be made, their JSON. */
export function ArgsForm({ schema, onChange, onSubmit, error = null, children }: ArgsFormProps) {
  const shown = useMemo(() => formSchema(schema), [schema]);
  const none = useMemo(() => noForm(shown), [shown]);
  const [json, setJson] = useState(none !== null);
  // As the fields hold it: numbers are texts.
  const [typed, setTyped] = useState<Args>({});
  const faults = useMemo(() => faultsOf(error, typed, shown), [error, typed, shown]);
  const empty = Object.keys(shown.properties ?? {}).length === 0;
  const change = (next: Args): void => {
    setTyped(next);
    onChange(exactArgs(schema ?? {}, next));
  };
  if (json) {
    return (
      <Stack gap="sm">
        {none !== null && (
          <Alert color="gray" variant="light" title="There is no form for this command">
            Its arguments are written as JSON, because {none}.
            {schema !== undefined && (
              <Code block mt="xs" className="hcp-output">
                {JSON.stringify(shown, null, 2)}
              </Code>
            )}
          </Alert>
        )}
        <JsonArgs
          initial={exactArgs(schema ?? {}, typed)}
          onChange={(args) => {
            if (args) setTyped(args);
            onChange(args);
          }}
          onSubmit={onSubmit}
        >
          {children}
        </JsonArgs>
        {none === null && <Switch label="Use the form" onClick={() => setJson(false)} />}
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      {empty && (
        <Text size="sm" c="dimmed">
          It takes no arguments.
        </Text>
      )}
      <Form
        schema={shown}
        formData={typed}
        validator={askTheApi}
        showErrorList={false}
        {...(faults && { extraErrors: faults })}
        experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipDefaults' }}
        onChange={({ formData }) => change(formData ?? {})}
        onSubmit={onSubmit}
      >
        {children}
      </Form>
      {!empty && <Switch label="Write them as JSON" onClick={() => setJson(true)} />}
    </Stack>
  );
}

function Switch({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button variant="subtle" size="compact-sm" pl={0} onClick={onClick} style={{ alignSelf: 'flex-start' }}>
      {label}
    </Button>
  );
}

/** At the field that the error names, as deep as the form has one. */
function faultsOf(error: string | null, typed: Args, shown: ReturnType<typeof formSchema>): ErrorSchema<Args> | null {
  const fault = error === null ? null : argsFault(error);
  const [first] = fault?.path ?? [];
  if (!fault || first === undefined || !Object.hasOwn(shown.properties ?? {}, first)) return null;
  const path: string[] = [first];
  let value: unknown = typed[first];
  for (const name of fault.path.slice(1)) {
    if (!(isNode(value) || Array.isArray(value))) break;
    path.push(name);
    value = (value as Args)[name];
  }
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), {
    __errors: [fault.why],
  }) as ErrorSchema<Args>;
}
