import stringWidth from 'string-width';
import { findFamily, readParameterType } from '../../../parameters/form/parameter-spec.js';
import { printJson } from '../json-output.js';
import { printableLine } from '../terminal-text.js';
import { fitText, padText } from '../text-width.js';
import {
  type AppInfo,
  COMPONENT_SECTIONS,
  type ComponentInfo,
  type FieldInfo,
  type OptionInfo,
} from './app-info.js';

const DEFAULT_WIDTH = 40;
/** More options are shown with --json only, unless they have nested fields. */
const OPTIONS_SHOWN = 20;

/** Formats the components of an app. */
export function printInfo(info: AppInfo): string {
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
