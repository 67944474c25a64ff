import type { JSX } from 'preact';
import type { ShownField } from '../../protocol.js';

export type Values = Readonly<Record<string, unknown>>;

/** Messages by path of the value: `items[2].email`. */
export type FieldErrors = ReadonlyMap<string, string>;

interface FieldsProps {
  readonly errors: FieldErrors;
  readonly fields: readonly ShownField[];
  readonly values: Values;
  readonly path: string;
  readonly onChange: (values: Values) => void;
}

/** The fields of a form; empty fields are omitted from the input. */
export function FormFields({ fields, values, path, errors, onChange }: FieldsProps): JSX.Element {
  return (
    <div class="fields">
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          errors={errors}
          path={`${path}${field.name}`}
          value={values[field.name]}
          onChange={(value) => {
            const { [field.name]: _, ...others } = values;
            onChange(value === undefined ? others : { ...others, [field.name]: value });
          }}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly errors: FieldErrors;
  readonly field: ShownField;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Field({ field, path, value, errors, onChange }: FieldProps): JSX.Element {
  const { label, name, required, help } = field;
  const id = writeId(path);
  const isGroup = field.fields !== undefined || field.type === 'array' || field.type === 'collection';
  const title = (
    <>
      {label}
      {required && (
        <span class="required" title="required">
          {' *'}
        </span>
      )}{' '}
      {label !== name && <code class="muted">{name}</code>}
    </>
  );
  const error = findError(path, errors);
  const said: Said = {
    'aria-describedby': joinIds(help !== undefined && `${id}-help`, error !== undefined && `${id}-error`),
    'aria-invalid': error === undefined ? undefined : true,
    'aria-required': required ? true : undefined,
  };
  const notes = <Notes id={id} help={help} error={error} />;
  if (isGroup) {
    const isKnown = field.fields !== undefined && field.fields.length > 0;
    return (
      <fieldset class="field" aria-describedby={said['aria-describedby']}>
        <legend>{title}</legend>
        {field.type === 'array' ? (
          <Items field={field} path={path} value={value} errors={errors} onChange={onChange} />
        ) : isKnown ? (
          <FormFields
            fields={field.fields ?? []}
            path={`${path}.`}
            errors={errors}
            values={asValues(value)}
            onChange={(inner) => onChange(Object.keys(inner).length === 0 ? undefined : inner)}
          />
        ) : (
          <JsonInput id={id} label={label} said={said} value={value} onChange={onChange} />
        )}
        {notes}
      </fieldset>
    );
  }
  return (
    <div class="field">
      <label for={id}>{title}</label>
      <Control id={id} said={said} field={field} value={value} onChange={onChange} />
      {notes}
    </div>
  );
}

/** Accessibility attributes of a control. */
interface Said {
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required'?: true | undefined;
}

interface NotesProps {
  readonly id: string;
  readonly help: string | undefined;
  readonly error: string | undefined;
}

/** Help and error of a field. */
function Notes({ id, help, error }: NotesProps): JSX.Element {
  return (
    <>
      {help !== undefined && (
        <p class="help" id={`${id}-help`}>
          {help.replace(/<[^>]*>/g, '')}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  );
}

/** Names can contain spaces, which separate IDs. */
function writeId(path: string): string {
  return `field-${path.replace(/\s/g, '_')}`;
}

function findError(path: string, errors: FieldErrors): string | undefined {
  return errors.get(path.replace(/\.(\d+)(?=\.|$)/g, (_, index) => `[${Number(index) + 1}]`));
}

function joinIds(...ids: readonly (string | false)[]): string | undefined {
  return ids.filter((id) => id !== false).join(' ') || undefined;
}

function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function Items({ field, path, value, errors, onChange }: FieldProps): JSX.Element {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (next: readonly unknown[]): void => onChange(next.length === 0 ? undefined : next);
  const { fields, itemType = 'text' } = field;
  const item: ShownField = {
    ...field,
    type: itemType,
    fields: undefined,
    multiple: false,
    label: 'item',
    help: undefined,
  };
  return (
    <div class="items">
      {items.map((entry, index) => {
        const change = (next: unknown): void =>
          put(items.map((other, at) => (at === index ? (next ?? '') : other)));
        const own = `${path}.${index}`;
        const error = findError(own, errors);
        return (
          <div class="item" key={index}>
            {fields === undefined ? (
              <>
                <Control
                  id={writeId(own)}
                  label={`${field.label} ${index + 1}`}
                  said={{
                    'aria-describedby': joinIds(error !== undefined && `${writeId(own)}-error`),
                    'aria-invalid': error === undefined ? undefined : true,
                  }}
                  field={item}
                  value={entry}
                  onChange={change}
                />
                <Notes id={writeId(own)} help={undefined} error={error} />
              </>
            ) : (
              <FormFields
                fields={fields}
                path={`${own}.`}
                errors={errors}
                values={asValues(entry)}
                onChange={change}
              />
            )}
            <button
              type="button"
              class="link"
              aria-label={`Remove item ${index + 1} of ${field.label}`}
              onClick={() => put(items.filter((_, at) => at !== index))}
            >
              Remove
            </button>
          </div>
        );
      })}
      <button
        type="button"
        class="button small"
        onClick={() => put([...items, fields === undefined ? '' : {}])}
      >
        Add an item
      </button>
    </div>
  );
}

type ControlProps = Omit<FieldProps, 'path' | 'errors'> & {
  readonly id: string;
  readonly label?: string;
  readonly said: Said;
};

const NUMBERS: ReadonlySet<string> = new Set(['number', 'integer', 'uinteger', 'port']);

function Control({ id, label, said, field, value, onChange }: ControlProps): JSX.Element {
  const { type, options, multiple } = field;
  const text =
    value === undefined || value === null
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  const placeholder =
    field.default === undefined || field.default === null ? '' : `default: ${String(field.default)}`;
  if (type === 'boolean' || type === 'checkbox') {
    return (
      <select
        {...said}
        id={id}
        aria-label={label}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onChange(chosen === '' ? undefined : chosen === 'true');
        }}
      >
        <option value="">not given{placeholder === '' ? '' : ` (${placeholder})`}</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (options !== undefined && options.length > 0) {
    const chosen = new Set(
      (multiple && Array.isArray(value) ? value : [value]).map((one) => JSON.stringify(one)),
    );
    return (
      <select
        {...said}
        id={id}
        aria-label={label}
        multiple={multiple}
        onChange={(event) => {
          const picked = [...event.currentTarget.selectedOptions]
            .filter((option) => option.value !== '')
            .map((option) => JSON.parse(option.value) as unknown);
          onChange(picked.length === 0 ? undefined : multiple ? picked : picked[0]);
        }}
      >
        {!multiple && <option value="">not given{placeholder === '' ? '' : ` (${placeholder})`}</option>}
        {options.map((option) => (
          <option
            key={String(option.value)}
            value={JSON.stringify(option.value)}
            selected={chosen.has(JSON.stringify(option.value))}
          >
            {option.label}
          </option>
        ))}
      </select>
    );
  }
  const isLong = type === 'editor' || type === 'json' || type === 'markdown';
  const shared = {
    ...said,
    id,
    placeholder,
    value: text,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: false,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      const given = event.currentTarget.value;
      onChange(given === '' ? undefined : given);
    },
  };
  if (isLong) return <textarea {...shared} rows={4} />;
  const kind = type === 'password' ? 'password' : type === 'email' ? 'email' : 'text';
  return <input {...shared} type={kind} inputMode={NUMBERS.has(type) ? 'decimal' : 'text'} />;
}

interface JsonInputProps {
  readonly id: string;
  readonly label: string;
  readonly said: Said;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A collection without known fields is edited as JSON. */
function JsonInput({ id, label, said, value, onChange }: JsonInputProps): JSX.Element {
  return (
    <textarea
      {...said}
      id={id}
      rows={3}
      class="mono"
      aria-label={`${label}, as JSON`}
      placeholder='{"name": "value"}'
      defaultValue={value === undefined ? '' : JSON.stringify(value, null, 2)}
      onChange={(event) => {
        const { currentTarget } = event;
        currentTarget.setCustomValidity('');
        if (currentTarget.value.trim() === '') return onChange(undefined);
        try {
          onChange(JSON.parse(currentTarget.value));
        } catch {
          currentTarget.setCustomValidity('This is not valid JSON.');
          currentTarget.reportValidity();
        }
      }}
    />
  );
}
