import stringWidth from 'string-width';
import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { moduleForm, readForm } from '../../../engine/parameters/form.js';
import {
  findFamily,
  type Option,
  type ParameterElement,
  readParameterType,
} from '../../../engine/parameters/parameter-spec.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { listSetOptions, type SetOption } from '../input/project-options.js';
import type { Io } from '../io.js';
import { APP_FOLDER, type LoadedApp, openApp, readAppAndOptionalName } from '../open-app.js';
import { printJson, printPrettyJson } from '../output/json-output.js';
import { printRunFindings } from '../output/print-findings.js';
import { fitText, padText } from '../output/print-table.js';
import { printableLine } from '../output/terminal-text.js';

const DEFAULT_WIDTH = 40;
/** More options are shown with --json only, unless they have nested fields. */
const OPTIONS_SHOWN = 20;

/** Formats the components of an app. */
function printInfo(info: AppInfo): string {
  const sections = COMPONENT_SECTIONS.flatMap(({ section: title }) => {
    const components = info[title];
    return components.length === 0
      ? []
      : [`\n${title} (${components.length})\n${componentLines(components)}`];
  });
  return `${printableLine(info.name)}\n${sections.join('')}`;
}

function componentLines(components: readonly ComponentInfo[]): string {
  const heads = components.map(({ name, type = '' }) => [printableLine(name), type] as const);
  const widths = columnWidths(heads);
  return components
    .map((component, index) => {
      const head = padCells(heads[index] ?? [], widths);
      const title = printableLine(component.label ?? '');
      const line = `  ${head}  ${title}${printLinks(component)}`.trimEnd();
      return `${line}\n${fieldLines(component.parameters ?? [], 2)}`;
    })
    .join('');
}

function printLinks({ connection, altConnection, webhook }: ComponentInfo): string {
  const links = [
    ...(connection === undefined ? [] : [`connection ${connection}`]),
    ...(altConnection === undefined ? [] : [`or ${altConnection}`]),
    ...(webhook === undefined ? [] : [`webhook ${webhook}`]),
  ];
  return links.length === 0 ? '' : `  (${printableLine(links.join(', '))})`;
}

function fieldLines(all: readonly FieldInfo[], depth: number): string {
  const fields = all.filter(({ type }) => !isDecoration(type));
  const cells = fields.map((field) => [printableLine(field.name ?? '-'), printableLine(field.type)] as const);
  const widths = columnWidths(cells);
  return fields
    .map((field, index) => {
      const text = `${indent(depth)}${padCells(cells[index] ?? [], widths)}  ${traits(field)}`;
      return `${text.trimEnd()}\n${fieldLines(field.fields ?? [], depth + 1)}${choiceLines(field, depth + 1)}`;
    })
    .join('');
}

/** Fields without a value: html, separators. */
function isDecoration(type: string): boolean {
  const known = readParameterType(type);
  return known !== undefined && findFamily(known) === 'decoration';
}

function choiceLines(field: FieldInfo, depth: number): string {
  const { type, options = [], nested, nestedWhenFalse, nestedWhenEmpty } = field;
  const groups = [
    [type === 'boolean' ? 'while true' : 'with any value', nested],
    ['while false', nestedWhenFalse],
    ['while empty', nestedWhenEmpty],
  ] as const;
  const groupLines = groups.map(([when, fields = []]) =>
    fields.length === 0 ? '' : `${indent(depth)}${when}:\n${fieldLines(fields, depth + 1)}`,
  );
  return optionLines(options, depth) + groupLines.join('');
}

function optionLines(options: readonly OptionInfo[], depth: number): string {
  const shown = options.filter(({ nested }, index) => index < OPTIONS_SHOWN || nested !== undefined);
  const cells = shown.map(({ value }) => [fitText(printableLine(printJson(value)), DEFAULT_WIDTH)]);
  const widths = columnWidths(cells);
  const lines = shown.map(({ value, label = '', nested = [] }, index) => {
    const title = label === value ? '' : printableLine(label);
    const text = `${indent(depth)}= ${padCells(cells[index] ?? [], widths)}  ${title}`;
    return `${text.trimEnd()}\n${fieldLines(nested, depth + 2)}`;
  });
  const left = options.length - shown.length;
  return lines.join('') + (left === 0 ? '' : `${indent(depth)}${left} more: --json shows all\n`);
}

function indent(depth: number): string {
  return '  '.repeat(depth + 1);
}

function traits(field: FieldInfo): string {
  const value =
    field.default === undefined ? '' : fitText(printableLine(printJson(field.default)), DEFAULT_WIDTH);
  const from = field.optionsFrom === undefined ? '' : `options from ${printableLine(field.optionsFrom)}`;
  return [field.required ? 'required' : '', value && `default ${value}`, from].filter(Boolean).join(', ');
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
}

function padCells(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, column) => padText(cell, widths[column] ?? 0)).join('  ');
}

/** One field of a form. */
interface FieldInfo {
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
interface OptionInfo {
  readonly value: unknown;
  readonly label?: string;
  /** Shown while the option is selected, instead of `nested` of the field. */
  readonly nested?: readonly FieldInfo[];
}

interface ComponentInfo {
  readonly name: string;
  readonly type?: string;
  readonly label?: string;
  readonly description?: string;
  readonly connection?: string;
  readonly altConnection?: string;
  readonly webhook?: string;
  readonly parameters?: readonly FieldInfo[];
}

interface AppInfo {
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
const COMPONENT_SECTIONS = [
  { kind: 'connection', section: 'connections' },
  { kind: 'module', section: 'modules' },
  { kind: 'rpc', section: 'rpcs' },
  { kind: 'webhook', section: 'webhooks' },
  { kind: 'function', section: 'functions' },
  { kind: 'endpoint', section: 'endpoints' },
] as const;

/** All components with a name, of any type. */
function pickComponents(info: AppInfo, name: string): AppInfo {
  const picked = COMPONENT_SECTIONS.map(({ section }) => [
    section,
    info[section].filter((component) => component.name === name),
  ]);
  return { ...info, ...Object.fromEntries(picked) };
}

/** The components of an app as data. */
function describeAppInfo(app: App): AppInfo {
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

export const INFO_COMMAND: Command = {
  name: 'info',
  about: 'Shows the components of an app, or one component with its diagnostics.',
  positionals: [
    APP_FOLDER,
    {
      name: 'component',
      help: 'Name of a module, RPC, webhook, connection, endpoint or function. Default: all.',
      isOptional: true,
    },
  ],
  options: { json: { help: 'Prints JSON, with the warnings of loading the app.' } },
  examples: [
    'iml info ./my-app',
    'iml info ./my-app listContacts',
    "iml info ./my-app --json | jq '.modules[].name'",
  ],
  notes: [
    'options are those that iml.config.json and the environment set for the app.',
    'Diagnostics do not change the exit code. Those of a component include its dependencies; iml check reports all.',
  ],
  run: showInfo,
};

async function showInfo(args: Arguments, io: Io): Promise<number> {
  const [folder, name] = await readAppAndOptionalName(args, io);
  const loaded = await openApp(folder, io);
  const { app } = loaded;
  const all = describeAppInfo(app);
  const info = name === undefined ? all : pickComponents(all, requireName(app, name));
  const options = describeOptions(await listSetOptions(loaded.root, io));
  if (args.isSet('json')) {
    await io.stdout.write(`${printPrettyJson({ ...info, options })}\n`);
    return EXIT.ok;
  }
  await io.stdout.write(printInfo(info));
  if (name === undefined) {
    await io.stdout.write(`${printOptions(options)}\n${tellOfCheck(loaded)}\n`);
    return EXIT.ok;
  }
  const named = COMPONENT_SECTIONS.filter(({ section }) => info[section].length > 0);
  const { text } = await printRunFindings(
    loaded,
    named.map(({ kind }) => ({ kind, name })),
  );
  await io.stdout.write(`\n${text || 'no findings\n'}`);
  return EXIT.ok;
}

interface SetOptionInfo {
  readonly name: string;
  readonly values: readonly string[];
  /** `iml.config.json`, or the environment variable. */
  readonly source: string;
}

/** Options that are off are left out. */
function describeOptions(options: ReadonlyMap<string, SetOption>): readonly SetOptionInfo[] {
  return [...options]
    .filter(([, { texts }]) => texts.length > 0)
    .map(([name, { texts, source }]) => ({
      name,
      // A variable may hold the data of a connection.
      values: texts.filter((text) => text !== '').map((text) => (/^\s*[{[]/.test(text) ? '(data)' : text)),
      source,
    }));
}

function printOptions(options: readonly SetOptionInfo[]): string {
  if (options.length === 0) return '';
  const lines = options.map(({ name, values, source }) => {
    const shown = printableLine([`--${name}`, ...values].join(' '));
    return `  ${shown}  (${source})\n`;
  });
  return `\noptions (${options.length})\n${lines.join('')}`;
}

/** Loading finds only some mistakes; refers to `iml check`. */
function tellOfCheck({ app, showPath }: LoadedApp): string {
  const count = app.warnings.length;
  const command = `iml check ${printableLine(showPath('')) || '.'}`;
  if (count === 0) return `no diagnostics at loading; ${command} checks more`;
  return `loading has ${count} ${count === 1 ? 'finding' : 'findings'}; ${command} reports all`;
}

/** @throws EngineError (USAGE) for an unknown name */
function requireName(app: App, name: string): string {
  const names = COMPONENT_SECTIONS.flatMap(({ section }) => [...app[section].keys()]);
  if (names.includes(name)) return name;
  throw usageError(`The app "${app.name}" has no "${name}".${didYouMean(name, names)}`);
}
