import type { App } from '../../../document/app.js';
import type { Document } from '../../../document/reading/document.js';
import { moduleForm, readForm } from '../../../parameters/form/form.js';
import type { Option, ParameterElement } from '../../../parameters/form/parameter-spec.js';

/** One field of a form, as far as its users have to know it. */
export interface FieldInfo {
  /** Missing where the field has none, or an RPC gives the fields. */
  readonly name?: string;
  readonly type: string;
  readonly required: boolean;
  readonly label?: string;
  readonly default?: unknown;
  /** Of the items of an array or the members of a collection. */
  readonly fields?: readonly FieldInfo[];
  /** The values to choose from, where they are written in the app. */
  readonly options?: readonly OptionInfo[];
  /** The RPC that gives them, where one does. */
  readonly optionsFrom?: string;
  /** Shown beside it while it has a value, beside a boolean while it is true. */
  readonly nested?: readonly FieldInfo[];
  /** Shown beside a boolean while it is false. */
  readonly nestedWhenFalse?: readonly FieldInfo[];
  /** Shown while nothing is chosen. */
  readonly nestedWhenEmpty?: readonly FieldInfo[];
}

/** One value a field offers. */
export interface OptionInfo {
  readonly value: unknown;
  readonly label?: string;
  /** Shown while it is chosen, in place of the `nested` fields of its field. */
  readonly nested?: readonly FieldInfo[];
}

export interface ComponentInfo {
  readonly name: string;
  readonly type?: string;
  readonly label?: string;
  readonly description?: string;
  readonly connection?: string;
  readonly altConnection?: string;
  readonly webhook?: string;
  readonly parameters?: readonly FieldInfo[];
}

export interface AppInfo {
  readonly name: string;
  readonly connections: readonly ComponentInfo[];
  readonly modules: readonly ComponentInfo[];
  readonly rpcs: readonly ComponentInfo[];
  readonly webhooks: readonly ComponentInfo[];
  readonly functions: readonly ComponentInfo[];
  readonly endpoints: readonly ComponentInfo[];
  readonly warnings: App['warnings'];
}

/** Where the components of a kind stand, in the order they are shown. */
export const COMPONENT_SECTIONS = [
  { kind: 'connection', section: 'connections' },
  { kind: 'module', section: 'modules' },
  { kind: 'rpc', section: 'rpcs' },
  { kind: 'webhook', section: 'webhooks' },
  { kind: 'function', section: 'functions' },
  { kind: 'endpoint', section: 'endpoints' },
] as const;

/** The components of a name alone, of whatever kind they are. */
export function pickComponents(info: AppInfo, name: string): AppInfo {
  const picked = COMPONENT_SECTIONS.map(({ section }) => [
    section,
    info[section].filter((component) => component.name === name),
  ]);
  return { ...info, ...Object.fromEntries(picked) };
}

/** What an app is made of, as data. */
export function describeAppInfo(app: App): AppInfo {
  return {
    name: app.name,
    connections: list(app.connections, ({ params }) => describeFields(params)),
    modules: list(app.modules, (module) => moduleForm(module).elements.map(fieldInfo)),
    rpcs: list(app.rpcs, ({ params }) => describeFields(params)),
    webhooks: list(app.webhooks, ({ params }) => describeFields(params)),
    functions: list(app.functions),
    endpoints: list(app.endpoints, ({ input }) => describeFields(input)),
    warnings: app.warnings,
  };
}

type Described = Readonly<
  Record<'label' | 'type' | 'description' | 'connection' | 'altConnection' | 'webhook', string | undefined>
> & { readonly name: string };

function list<C extends Partial<Described> & { readonly name: string }>(
  components: ReadonlyMap<string, C>,
  parameters?: (component: C) => readonly FieldInfo[],
): readonly ComponentInfo[] {
  return [...components.values()].map((component) => {
    const { name, type, label, description, connection, altConnection, webhook } = component;
    const fields = parameters?.(component);
    return present({
      name,
      type,
      label,
      description,
      connection,
      altConnection,
      webhook,
      parameters: fields,
    });
  });
}

function describeFields(document: Document | undefined): readonly FieldInfo[] {
  return readForm(document).elements.map(fieldInfo);
}

function fieldInfo(element: ParameterElement): FieldInfo {
  if (element.kind === 'reference') return { type: element.text, required: false };
  const { name, type, required, label, spec, choices, nestedWhenFalse } = element;
  const items = spec?.kind === 'fields' ? spec.fields.map(fieldInfo) : spec && [fieldInfo(spec.item)];
  return present({
    name,
    type,
    required,
    label,
    default: element.default,
    fields: items,
    options: choices?.options?.map(optionInfo),
    optionsFrom: choices?.reference?.text,
    nested: (element.nested ?? choices?.nested)?.map(fieldInfo),
    nestedWhenFalse: nestedWhenFalse?.map(fieldInfo),
    nestedWhenEmpty: choices?.placeholderNested?.map(fieldInfo),
  });
}

function optionInfo({ value, label, nested }: Option): OptionInfo {
  return present({ value, label, nested: nested?.map(fieldInfo) });
}

/** The members that have a value. */
function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
