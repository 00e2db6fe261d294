import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  MultiSelect,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import {
  ariaDescribedByIds,
  buttonId,
  canExpand,
  type DescriptionFieldProps,
  type FieldErrorProps,
  enumOptionSelectedValue,
  enumOptionValueDecoder,
  type FieldProps,
  ADDITIONAL_PROPERTY_FLAG,
  type IconButtonProps,
  type ObjectFieldTemplateProps,
  type WidgetProps,
  type WrapIfAdditionalTemplateProps,
} from '@rjsf/utils';
import { escapeInvisible } from '@hcp/core';

type Args = Record<string, unknown>;

/** Text of more than a line. */
const LONG = 1000;

const hint = (schema: WidgetProps<Args>['schema']): string | undefined => {
  const value: unknown = (schema as Args)['x-default'];
  return value === undefined ? undefined : `${typeof value === 'string' ? value : JSON.stringify(value)} by default`;
};

function common({
  id,
  htmlName,
  label,
  hideLabel,
  required,
  disabled,
  readonly,
  schema,
  rawErrors,
}: WidgetProps<Args>) {
  const placeholder = hint(schema);
  return {
    id,
    name: htmlName ?? id,
    label: hideLabel ? undefined : label,
    ...(hideLabel && { 'aria-label': label }),
    description: hideLabel ? undefined : schema.description,
    required: required === true,
    disabled: disabled === true || readonly === true,
    error: rawErrors && rawErrors.length > 0 ? rawErrors.join(' ') : undefined,
    'aria-describedby': ariaDescribedByIds(id),
    ...(placeholder !== undefined && { placeholder: escapeInvisible(placeholder) }),
  };
}

/** One line, or several where it may be long. A number is the text that was typed (see exactArgs). */
export function TextField(props: WidgetProps<Args>) {
  const { schema, onChange, type } = props;
  const value: unknown = props.value;
  const change = ({ currentTarget }: { currentTarget: { value: string } }): void =>
    onChange(currentTarget.value === '' ? undefined : currentTarget.value);
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  if (schema.type === 'string' && (schema.maxLength ?? 0) >= LONG) {
    return <Textarea {...common(props)} value={text} onChange={change} autosize minRows={2} maxRows={12} />;
  }
  const numeric = schema.type === 'integer' ? 'numeric' : schema.type === 'number' ? 'decimal' : undefined;
  return (
    <TextInput
      {...common(props)}
      {...(numeric ? { inputMode: numeric } : type === 'password' ? { type: 'password', autoComplete: 'off' } : {})}
      value={text}
      onChange={change}
    />
  );
}

export function Choice(props: WidgetProps<Args>) {
  const { options, onChange, multiple = false } = props;
  const { enumOptions = [] } = options;
  const data = enumOptions.map(({ label }, index) => ({ value: String(index), label: escapeInvisible(label) }));
  const chosen: unknown = enumOptionSelectedValue<Args>(
    props.value,
    enumOptions,
    multiple,
    'indexed',
    multiple ? [] : '',
  );
  const change = (next: string | string[]): void =>
    onChange(enumOptionValueDecoder<Args>(next, enumOptions, 'indexed', undefined));
  const shared = {
    ...common(props),
    data,
    clearable: props.required !== true,
    searchable: data.length > 8,
    comboboxProps: { withinPortal: false },
  };
  if (multiple)
    return <MultiSelect {...shared} value={Array.isArray(chosen) ? chosen.map(String) : []} onChange={change} />;
  return (
    <Select
      {...shared}
      value={typeof chosen === 'string' && chosen !== '' ? chosen : null}
      onChange={(next) => change(next ?? '')}
    />
  );
}

/** Not given until somebody touches it. */
export function Tick(props: WidgetProps<Args>) {
  const { id, htmlName, label, disabled, readonly, schema, rawErrors, onChange } = props;
  return (
    <Checkbox
      id={id}
      name={htmlName ?? id}
      label={label}
      description={schema.description ?? hint(schema)}
      disabled={disabled === true || readonly === true}
      checked={props.value === true}
      error={rawErrors?.join(' ')}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

/** Keeps the text: a number of JavaScript would round, and lose the zero of 2.80. */
export function ExactNumber(props: FieldProps<Args>) {
  const { StringField } = props.registry.fields;
  return StringField ? <StringField {...props} /> : null;
}

/** The theme's own lays fields out in a grid that inserts `<style>`, which the content security policy refuses. */
export function Fields(props: ObjectFieldTemplateProps<Args>) {
  const { properties, title, description, schema, uiSchema, formData, fieldPathId, registry, onAddProperty } = props;
  const { AddButton } = registry.templates.ButtonTemplates;
  const fields = (
    <Stack gap="sm">
      {properties.map(({ content, name, hidden }) => !hidden && <div key={name}>{content}</div>)}
      {canExpand(schema, uiSchema, formData) && (
        <Group>
          <AddButton id={buttonId(fieldPathId, 'add')} onClick={onAddProperty} registry={registry} />
        </Group>
      )}
    </Stack>
  );
  if (fieldPathId.path.length === 0) return fields;
  return (
    <Fieldset legend={<b>{title}</b>}>
      {description !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {description}
        </Text>
      )}
      {fields}
    </Fieldset>
  );
}

/** A property whose name the person gives, beside its value. */
export function OwnName(props: WrapIfAdditionalTemplateProps<Args>) {
  const { id, label, schema, children, disabled, readonly, onKeyRenameBlur, onRemoveProperty, registry } = props;
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <div>{children}</div>;
  const { RemoveButton } = registry.templates.ButtonTemplates;
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <TextInput
        id={`${id}-key`}
        label="Name"
        defaultValue={label}
        disabled={disabled === true || readonly === true}
        onBlur={onKeyRenameBlur}
      />
      <div style={{ flexGrow: 1 }}>{children}</div>
      <RemoveButton id={buttonId(id, 'remove')} onClick={onRemoveProperty} registry={registry} />
    </Group>
  );
}

export function About({ description }: DescriptionFieldProps<Args>) {
  return (
    <Text size="sm" c="dimmed" mb="xs">
      {description}
    </Text>
  );
}

/** Of a list or an object, which has no input of its own that would show it. */
export function GroupFault({ errors, schema }: FieldErrorProps<Args>) {
  if (!errors || errors.length === 0 || (schema.type !== 'array' && schema.type !== 'object')) return null;
  return (
    <Text size="sm" c="var(--mantine-color-error)" mt={4}>
      {errors}
    </Text>
  );
}

export function Add({ id, onClick, disabled }: IconButtonProps<Args>) {
  return (
    <Button size="xs" variant="default" id={id} disabled={disabled === true} onClick={onClick}>
      Add one
    </Button>
  );
}
