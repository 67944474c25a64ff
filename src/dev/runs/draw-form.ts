import { createEngine } from '../../app/engine/create-engine.js';
import { EngineError } from '../../errors/engine-error.js';
import { readForm } from '../../parameters/form/form.js';
import type { ParameterElement, ParameterSpec } from '../../parameters/form/parameter-spec.js';
import { parseRpcReference } from '../../parameters/form/rpc-reference.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import type { RunWish, ShownField, ShownForm } from '../protocol.js';
import type { RunSetting } from './run-component.js';

/** Options of one select; more are more than somebody scrolls through. */
const MAX_OPTIONS = 500;

/** Types that only decorate a form. */
const DECORATION: ReadonlySet<string> = new Set(['banner', 'html', 'button']);

/**
 * The form of a module or RPC as a page draws it. Options and fields that RPCs give are asked for where a connection is
 * named, or the component needs none.
 */
export async function drawForm(wish: RunWish, setting: RunSetting): Promise<ShownForm> {
  const { app, connections, engine: options } = setting;
  if (wish.kind === 'rpc') {
    return { fields: flattenFields(readForm(app.rpcs.get(wish.name)?.params).elements), failures: [] };
  }
  const module = app.modules.get(wish.name);
  if (module === undefined) throw new EngineError('USAGE', `There is no module "${wish.name}".`);
  const engine = createEngine({ ...options, app, connections });
  try {
    const { parameters } = wish;
    const connection = wish.connection === '' ? undefined : wish.connection;
    const resolve = connection !== undefined || module.connection === undefined;
    const form = await engine.module(wish.name).parameters({ parameters, connection, resolve });
    const failures = form.failures.map(({ text, error }) => `${text}: ${error.message}`);
    const fields = flattenFields([...form.static, ...form.mappable]);
    if (!resolve) return { fields, failures };
    const filled = await Promise.all(fields.map((field) => withOptions(field, wish, engine, failures)));
    return { fields: filled, failures };
  } finally {
    await engine.close();
  }
}

type Asker = Pick<ReturnType<typeof createEngine>, 'rpc'>;

/** Options that an RPC gives stand in the field as its address until it is asked. */
async function withOptions(
  field: ListedField,
  wish: RunWish,
  engine: Asker,
  failures: string[],
): Promise<ShownField> {
  const { reference, ...shown } = field;
  if (reference === undefined) return shown;
  const { parameters, connection } = wish;
  const report = await engine
    .rpc(reference.address)
    .call({ parameters, connection: connection || undefined });
  if (!report.ok) {
    failures.push(`${reference.address}: ${report.error.message}`);
    return shown;
  }
  const items = Array.isArray(report.result) ? report.result.slice(0, MAX_OPTIONS) : [];
  const options = items.filter(isPlainObject).map((item) => {
    const value = ownMember(item, reference.valueKey);
    return { value, label: String(ownMember(item, reference.labelKey) ?? value) };
  });
  return { ...shown, options };
}

interface ListedField extends ShownField {
  readonly reference?: { readonly address: string; readonly valueKey: string; readonly labelKey: string };
}

function flattenFields(elements: readonly ParameterElement[]): readonly ListedField[] {
  return elements.flatMap((element) => {
    if (element.kind === 'reference') return [];
    if (element.name === undefined || DECORATION.has(element.type)) return [];
    return [
      describeField(element, element.name),
      // Fields nested beside a value are members of the same collection.
      ...flattenFields(element.nested ?? []),
      ...flattenFields(element.choices?.nested ?? []),
    ];
  });
}

function describeField(spec: ParameterSpec, name: string): ListedField {
  const { type, required, multiple, label, choices, source } = spec;
  const help = ownMember(source, 'help');
  const address = choices?.reference?.text;
  const isRpc = address !== undefined && parseRpcReference(address) !== undefined;
  return {
    ...{ name, type, required, multiple, default: spec.default },
    label: label ?? name,
    help: typeof help === 'string' ? help : undefined,
    advanced: ownMember(source, 'advanced') === true,
    options: choices?.options?.slice(0, MAX_OPTIONS).map(({ value, label: shown }) => ({
      value,
      label: shown ?? String(value),
    })),
    fields: spec.spec?.kind === 'fields' ? flattenFields(spec.spec.fields) : undefined,
    itemType: spec.spec?.kind === 'item' ? spec.spec.item.type : undefined,
    ...(isRpc && {
      reference: { address, valueKey: choices?.valueKey ?? 'value', labelKey: choices?.labelKey ?? 'label' },
    }),
  };
}
