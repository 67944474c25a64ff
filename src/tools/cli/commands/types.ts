import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { moduleForm, readForm } from '../../../engine/parameters/form.js';
import {
  findFamily,
  listNestedFields,
  type ParameterElement,
  type ParameterSpec,
} from '../../../engine/parameters/parameter-spec.js';
import { isScalar } from '../../../shared/plain-object.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { type Arguments, type Command, EXIT } from '../command.js';
import type { Io } from '../io.js';
import { APP_FOLDER, openNearest } from '../open-app.js';
import { printOrWrite } from '../output/output-file.js';

/** Levels of fields in fields; deeper ones are `unknown`. */
const MAX_DEPTH = 16;

/**
 * Prints a TypeScript module with one type, `AppTypes`: parameters of modules, RPCs, endpoints, connections and webhooks,
 * bundles of modules as in their `interface`, and results of endpoints as in their `output`. Forms with fields from an
 * RPC accept more members.
 */
function printAppTypes({ name, modules, rpcs, endpoints, connections, webhooks }: App): string {
  const ofForms = (components: ReadonlyMap<string, { readonly params: Document | undefined }>): string =>
    printComponents(
      [...components].map(([key, { params }]) => [
        key,
        printMembers([['parameters', printParameters(readForm(params).elements, 3)]], 2),
      ]),
    );
  const ofModules = [...modules].map(([key, module]): Member => {
    const fields = readForm(module.interface).elements;
    const members: Member[] = [
      ['parameters', printParameters(moduleForm(module).elements, 3)],
      ['bundle', fields.length === 0 ? 'Record<string, unknown>' : printBundle(fields, 3)],
    ];
    return [key, printMembers(members, 2)];
  });
  const ofEndpoints = [...endpoints].map(([key, { input, output }]): Member => {
    const fields = readForm(output).elements;
    const members: Member[] = [
      ['parameters', printParameters(readForm(input).elements, 3)],
      ['result', fields.length === 0 ? 'unknown' : printBundle(fields, 3)],
    ];
    return [key, printMembers(members, 2)];
  });
  const all: Member[] = [
    ['modules', printComponents(ofModules)],
    ['rpcs', ofForms(rpcs)],
    ['endpoints', printComponents(ofEndpoints)],
    ['connections', ofForms(connections)],
    ['webhooks', ofForms(webhooks)],
  ];
  return `// Written by "iml types". Types of the app ${quote(name)}.\nexport interface AppTypes ${printMembers(all, 0)}\n`;
}

/** Key (with `?` if optional) and type. */
type Member = readonly [key: string, type: string, isOptional?: boolean, note?: string | undefined];

/** Without components, no name is valid. */
function printComponents(components: readonly Member[]): string {
  return components.length === 0 ? 'Record<never, never>' : printMembers(components, 1);
}

function printMembers(members: readonly Member[], depth: number, isOpen = false): string {
  const indent = '  '.repeat(depth + 1);
  const lines = members.map(([key, type, isOptional, note]) => {
    const comment = note === undefined ? '' : `${indent}/** ${printComment(note)} */\n`;
    return `${comment}${indent}${quote(key)}${isOptional ? '?' : ''}: ${type};\n`;
  });
  if (isOpen) lines.push(`${indent}[name: string]: unknown;\n`);
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${'  '.repeat(depth)}}`;
}

/** JSON text is a TypeScript literal; invisible characters are escaped. */
function quote(value: string): string {
  return escapeUnsafe(JSON.stringify(value));
}

function printComment(text: string): string {
  return quote(text.replace(/\s+/g, ' ').trim()).slice(1, -1).replaceAll('*/', '*\\/').replaceAll('\\"', '"');
}

function printParameters(elements: readonly ParameterElement[], depth: number): string {
  return printFields(elements, depth, ({ required, visible }) => required && visible === true);
}

/** An API may omit any member. */
function printBundle(elements: readonly ParameterElement[], depth: number): string {
  return printFields(elements, depth, () => false);
}

type IsRequired = (field: ParameterSpec) => boolean;

function printFields(elements: readonly ParameterElement[], depth: number, isRequired: IsRequired): string {
  const members = new Map<string, Member>();
  let isOpen = false;
  const add = (fields: readonly ParameterElement[], isNested: boolean): void => {
    for (const field of fields) {
      if (field.kind === 'reference') isOpen = true;
      if (field.kind === 'reference' || findFamily(field.type) === 'decoration') continue;
      const { name } = field;
      if (name !== undefined && !members.has(name)) {
        const type = printType(field, depth, isRequired);
        members.set(name, [name, type, isNested || !isRequired(field), field.label]);
      }
      add(listNestedFields(field), true);
    }
  };
  add(elements, false);
  if (isOpen && members.size === 0) return 'Record<string, unknown>';
  return printMembers([...members.values()], depth, isOpen);
}

function printType(field: ParameterSpec, depth: number, isRequired: IsRequired): string {
  const single = printSingle(field, depth, isRequired);
  return field.multiple && field.type !== 'array' ? `readonly (${single})[]` : single;
}

function printSingle(field: ParameterSpec, depth: number, isRequired: IsRequired): string {
  const { type, spec, choices } = field;
  if (depth > MAX_DEPTH) return 'unknown';
  switch (type) {
    case 'text':
    case 'editor':
    case 'email':
    case 'url':
    case 'uuid':
    case 'color':
    case 'time':
    case 'timezone':
    case 'json':
    case 'password':
    case 'cert':
    case 'pkey':
    case 'filename':
    case 'path':
    case 'file':
    case 'folder':
      return 'string';
    case 'number':
    case 'integer':
    case 'uinteger':
    case 'port':
      return 'number';
    case 'boolean':
    case 'checkbox':
      return 'boolean';
    case 'date':
    case 'timestamp':
      return 'string | Date';
    case 'buffer':
      return 'Uint8Array';
    case 'select':
    case 'radio':
    case 'list': {
      const values = (choices?.options ?? []).map(({ value }) => value);
      const isLiteral = values.length > 0 && values.every(isScalar) && choices?.reference === undefined;
      return isLiteral
        ? [...new Set(values.map((value) => escapeUnsafe(JSON.stringify(value))))].join(' | ')
        : 'string | number | boolean';
    }
    case 'collection':
      return spec?.kind === 'fields'
        ? printFields(spec.fields, depth + 1, isRequired)
        : 'Record<string, unknown>';
    case 'array': {
      if (spec === undefined) return 'readonly unknown[]';
      const item =
        spec.kind === 'fields'
          ? printFields(spec.fields, depth + 1, isRequired)
          : printType(spec.item, depth + 1, isRequired);
      return `readonly (${item})[]`;
    }
    case 'filter':
      return 'readonly unknown[]';
    default:
      return 'unknown';
  }
}

export const TYPES_COMMAND: Command = {
  name: 'types',
  about:
    'Writes TypeScript types of an app: parameters of its components, bundles of its modules, results of its endpoints.',
  positionals: [APP_FOLDER],
  options: {
    output: { short: 'o', value: 'FILE', help: 'Writes the types to a file. Default: standard output.' },
  },
  examples: ['iml types ./my-app -o src/my-app.ts'],
  notes: ["Bundles have the type of the module's interface; without one, Record<string, unknown>."],
  run: writeTypes,
};

async function writeTypes(args: Arguments, io: Io): Promise<number> {
  const { app } = await openNearest(args.positionals[0], io);
  await printOrWrite(printAppTypes(app), args, io);
  return EXIT.ok;
}
