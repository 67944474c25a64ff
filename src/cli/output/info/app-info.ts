import type { App } from '../../../document/app.js';
import type { Document } from '../../../document/reading/document.js';
import { moduleForm, readForm } from '../../../parameters/form/form.js';
import type { Option, ParameterElement } from '../../../parameters/form/parameter-spec.js';

/** One field of a form. */
export interface FieldInfo {
  /** Missing for fields without a name or from an RPC. */
  readonly name?: string;
  readonly type: string;
  readonly required: boolean;
  readonly label?: string;
  readonly default?: unknown;
  /** Fields of array items or of a collection. */
  readonly fields?: readonly FieldInfo[];
  /** Options in the app itself. */
  readonly options?: readonly OptionInfo[];
  /** The RPC that returns the options. */
  readonly optionsFrom?: string;
  /** Shown while the field has a value, or while a boolean is true. */
  readonly nested?: readonly FieldInfo[];
  /** Shown while a boolean is false. */
  readonly nestedWhenFalse?: readonly FieldInfo[];
  /** Shown while nothing is selected. */
  readonly nestedWhenEmpty?: readonly FieldInfo[];
}

/** One option of a field. */
export interface OptionInfo {
  readonly value: unknown;
  readonly label?: string;
  /** Shown while the option is selected, instead of `nested` of the field. */
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

/** Sections in display order. */
export const COMPONENT_SECTIONS = [
  { kind: 'connection', section: 'connections' },
  { kind: 'module', section: 'modules' },
  { kind: 'rpc', section: 'rpcs' },
  { kind: 'webhook', section: 'webhooks' },
  { kind: 'function', section: 'functions' },
  { kind: 'endpoint', section: 'endpoints' },
] as const;

/** All components with a name, of any type. */
export function pickComponents(info: AppInfo, name: string): AppInfo {
  const picked = COMPONENT_SECTIONS.map(({ section }) => [
    section,
    info[section].filter((component) => component.name === name),
  ]);
  return { ...info, ...Object.fromEntries(picked) };
}

/** The components of an app as data. */
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

/** Removes members without a value. */
function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
