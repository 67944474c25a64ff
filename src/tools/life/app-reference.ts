import type { App, EndpointComponent, ModuleComponent } from '../../engine/document/app.js';
import type { Document } from '../../engine/document/document.js';
import { moduleForm, readForm } from '../../engine/parameters/form.js';
import {
  listNestedFields,
  type ParameterElement,
  type ParameterSpec,
} from '../../engine/parameters/parameter-spec.js';
import { isPlainObject, ownMember, readAt } from '../../shared/plain-object.js';
import { escapeUnsafe } from '../../shared/text.js';
import { type BlockMarks, insertBlock } from './marked-block.js';

/** Lines around the generated part of a page. */
const MARKS: BlockMarks = {
  begin: '<!-- iml docs: begin. Text between these lines is generated. -->',
  end: '<!-- iml docs: end -->',
};

/** Levels of fields in fields; deeper ones are left out. */
const MAX_DEPTH = 8;

/**
 * Replaces the generated part of a page, or appends it. The text around it stays as it is.
 *
 * @throws TypeError if only one of the two lines is there, or in the wrong order
 */
export function insertReference(page: string | undefined, reference: string): string {
  return insertBlock(page, reference, MARKS);
}

/** Markdown about an app for its users: connections, modules by group, webhooks and endpoints. */
export function printReference(app: App): string {
  const sections = [
    section(
      'Connections',
      [...app.connections.values()].map(
        ({ name, label, type, params, defaultScope }) =>
          heading(label, name) +
          sentence(type === 'oauth' ? 'OAuth.' : undefined) +
          fieldTable('Field', readForm(params).elements) +
          scopes(defaultScope),
      ),
    ),
    ...groupModules(app).map(([title, modules]) =>
      section(
        title,
        modules.map((one) => printModule(app, one)),
      ),
    ),
    section(
      'Webhooks',
      [...app.webhooks.values()].map(
        ({ name, label, type, params, requiredScope }) =>
          heading(label, name) +
          sentence(type === 'web-shared' ? 'One address for all users.' : 'An address for each trigger.') +
          fieldTable('Field', readForm(params).elements) +
          scopes(requiredScope),
      ),
    ),
    section('Endpoints', [...app.endpoints.values()].map(printEndpoint)),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

function section(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? '' : `## ${inline(title)}\n\n${entries.join('\n')}`;
}

function heading(label: string | undefined, name: string): string {
  const title = label === undefined || label === '' || label === name ? '' : `${inline(label)} `;
  return `### ${title}\`${code(name)}\`\n\n`;
}

function sentence(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `${inline(text)}\n\n`;
}

const TYPES: Readonly<Record<ModuleComponent['type'], string>> = {
  trigger: 'Polling trigger',
  action: 'Action',
  search: 'Search',
  instant_trigger: 'Instant trigger',
  responder: 'Responder',
  universal: 'Universal module',
};

/** Modules in the order of the groups of the app; the others follow. */
function groupModules({
  groups,
  modules,
}: App): readonly (readonly [title: string, readonly ModuleComponent[]])[] {
  const left = new Map(modules);
  const listed: [string, ModuleComponent[]][] = [];
  for (const group of Array.isArray(groups?.value) ? (groups.value as unknown[]) : []) {
    if (!isPlainObject(group)) continue;
    const names = ownMember(group, 'modules');
    const found = (Array.isArray(names) ? names : []).flatMap((name) => {
      const module = left.get(String(name));
      left.delete(String(name));
      return module ?? [];
    });
    if (found.length > 0) listed.push([String(ownMember(group, 'label') ?? 'Modules'), found]);
  }
  if (left.size > 0) listed.push([listed.length === 0 ? 'Modules' : 'Other modules', [...left.values()]]);
  return listed;
}

function printModule(app: App, module: ModuleComponent): string {
  const { name, label, description, type, connection, webhook } = module;
  const facts = [
    TYPES[type],
    ...(connection === undefined
      ? []
      : [`connection ${titleOf(app.connections.get(connection), connection)}`]),
    ...(webhook === undefined ? [] : [`webhook ${titleOf(app.webhooks.get(webhook), webhook)}`]),
    ...limits(module),
  ];
  return (
    heading(label, name) +
    sentence(description) +
    `${facts.map(inline).join(' · ')}\n\n` +
    fieldTable('Field', moduleForm(module).elements) +
    fieldTable('Output', readForm(module.interface).elements) +
    scopes(module.scope)
  );
}

function titleOf(component: { readonly label: string | undefined } | undefined, name: string): string {
  return component?.label === undefined || component.label === '' ? name : component.label;
}

/** Limits that the module sets itself. */
function limits({ communication }: ModuleComponent): readonly string[] {
  const requests: readonly unknown[] = Array.isArray(communication?.value)
    ? communication.value
    : [communication?.value];
  return requests.flatMap((request) => {
    if (!isPlainObject(request)) return [];
    const limit = readAt(request, 'response', 'limit');
    const timeout = ownMember(request, 'timeout');
    return [
      ...(typeof limit === 'number' ? [`at most ${limit} results`] : []),
      ...(typeof timeout === 'number' ? [`time limit ${timeout / 1000} s`] : []),
    ];
  });
}

function printEndpoint({
  name,
  label,
  description,
  input,
  output,
  requiredScope,
}: EndpointComponent): string {
  return (
    heading(label, name) +
    sentence(description) +
    fieldTable('Input', readForm(input).elements) +
    fieldTable('Output', readForm(output).elements) +
    scopes(requiredScope)
  );
}

function scopes(document: Document | undefined): string {
  const list: readonly unknown[] = Array.isArray(document?.value) ? document.value : [];
  const names = list.filter((scope): scope is string => typeof scope === 'string');
  return names.length === 0 ? '' : `Scopes: ${names.map((name) => `\`${code(name)}\``).join(', ')}\n\n`;
}

function fieldTable(title: string, elements: readonly ParameterElement[]): string {
  const rows = listRows(elements, '', 0);
  if (rows.length === 0) return '';
  return `| ${title} | Type | Description |\n| --- | --- | --- |\n${rows.join('')}\n`;
}

function listRows(elements: readonly ParameterElement[], before: string, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  return elements.flatMap((element) => {
    if (element.kind !== 'parameter' || element.name === undefined || element.name === '') return [];
    const path = before + element.name;
    const { spec } = element;
    const items = spec?.kind === 'fields' ? spec.fields : itemFields(spec?.item);
    const suffix = element.type === 'array' ? '[].' : '.';
    return [
      row(element, path),
      ...listRows(items, path + suffix, depth + 1),
      // Fields of options and booleans are listed beside their field in the parameters.
      ...listRows(listNestedFields(element), before, depth + 1),
    ];
  });
}

function itemFields(item: ParameterSpec | undefined): readonly ParameterElement[] {
  return item?.spec?.kind === 'fields' ? item.spec.fields : [];
}

function row(field: ParameterSpec, path: string): string {
  const { label, type, required, source, choices } = field;
  const { help } = source;
  const options = choices?.options?.map(({ value }) => `\`${code(String(value))}\``).slice(0, 20) ?? [];
  const isShown = field.default !== undefined && typeof field.default !== 'object' && type !== 'password';
  const words = [
    ...(label === undefined || label === field.name ? [] : [`${inline(label)}.`]),
    ...(typeof help === 'string' && help !== '' ? [inline(help)] : []),
    ...(options.length > 0 ? [`One of ${options.join(', ')}.`] : []),
    ...(isShown ? [`Default: \`${code(String(field.default))}\`.`] : []),
  ];
  return `| \`${code(path)}\` | ${inline(type)}${required ? ', required' : ''} | ${words.join(' ')} |\n`;
}

/** Text of an app as one line of Markdown, without HTML, code, links or pictures of its own. */
function inline(text: string): string {
  return escapeUnsafe(text.replace(/\s+/g, ' ').trim())
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\`[\]|]/g, '\\$&');
}

/** The inside of a code span. Two backticks without a text between them would begin a longer one. */
function code(text: string): string {
  if (text === '') return '""';
  return escapeUnsafe(text.replace(/\s+/g, ' ')).replaceAll('`', "'").replaceAll('|', '\\|');
}
