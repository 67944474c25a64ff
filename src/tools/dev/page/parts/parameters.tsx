import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ShownForm } from '../../protocol.js';
import { post } from '../state/api.js';
import { count } from '../state/format.js';
import { app, sayError } from '../state/store.js';
import { FormFields, type Values } from './form-fields.js';
import { Editor } from './playground.js';

interface ParametersProps {
  readonly isReady: boolean;
  readonly kind: 'module' | 'rpc';
  readonly name: string;
  readonly connection: string;
  readonly values: Values;
  /** Incremented when the values are replaced from outside. */
  readonly version: number;
  readonly isJson: boolean;
  /** Whether to show missing required fields: only after the first attempt to run. */
  readonly showsMissing: boolean;
  readonly onForm: (form: ShownForm) => void;
  readonly onChange: (values: Values) => void;
}

/** Delay between the last key and the next request of the form. */
const SETTLE_MS = 300;

/** The fields of a component, or its values as JSON. */
export function Parameters({
  isReady,
  kind,
  name,
  connection,
  values,
  version,
  isJson,
  showsMissing,
  onForm,
  onChange,
}: ParametersProps): JSX.Element {
  const form = useSignal<ShownForm | undefined>(undefined);
  const revision = app.value?.revision;
  useEffect(() => {
    if (!isReady) return undefined;
    let isCurrent = true;
    const ask = (): void => {
      post<ShownForm>('form', {
        kind,
        name,
        parameters: values,
        connection: connection || undefined,
        defaults: !isJson,
      }).then((found) => {
        if (!isCurrent) return;
        form.value = found;
        onForm(found);
      }, sayError);
    };
    const timer = setTimeout(ask, form.peek() === undefined ? 0 : SETTLE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isReady, kind, name, connection, revision, version, isJson, JSON.stringify(values)]);
  if (form.value === undefined) return <p class="empty-line">Reading the form …</p>;
  if (isJson) {
    return (
      <div class="field">
        <span class="field-title">Parameters as JSON</span>
        <Editor
          key={`${name} ${version}`}
          label="Parameters as JSON"
          language="json"
          initial={JSON.stringify(values, null, 2)}
          onChange={(text) => {
            try {
              const parsed: unknown = JSON.parse(text);
              if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
                onChange(parsed as Values);
            } catch {
              // The text is not valid JSON yet.
            }
          }}
        />
      </div>
    );
  }
  const { fields, failures, problems } = form.value;
  const complaints = new Map(
    problems
      .filter(({ isMissing }) => showsMissing || !isMissing)
      .map(({ path, message }) => [path, message] as const),
  );
  const [plain, advanced] = [
    fields.filter((field) => !field.advanced),
    fields.filter((field) => field.advanced),
  ];
  return (
    <>
      {fields.length === 0 && <p class="empty-line">It takes no parameters.</p>}
      {failures.map((text) => (
        <p class="hint warn" key={text}>
          {text}
        </p>
      ))}
      <FormFields fields={plain} path="" complaints={complaints} values={values} onChange={onChange} />
      {advanced.length > 0 && (
        <details class="advanced">
          <summary>Advanced {count(advanced.length, 'field')}</summary>
          <FormFields fields={advanced} path="" complaints={complaints} values={values} onChange={onChange} />
        </details>
      )}
    </>
  );
}
