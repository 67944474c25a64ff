import { indexChoices } from '../../../engine/parameters/check-choice.js';
import { coerceText } from '../../../engine/parameters/convert-value.js';
import type {
  ParameterElement,
  ParameterList,
  ParameterSpec,
  ParameterType,
} from '../../../engine/parameters/parameter-spec.js';
import { isSecretField } from '../../../engine/parameters/secret-values.js';
import { listShownFields, walkShown } from '../../../engine/parameters/walk-form.js';
import { evaluate } from '../../../language/compile.js';
import { toText } from '../../../language/values/value.js';
import { type PlainObject, setMember } from '../../../shared/plain-object.js';
import { type Arguments, usageError } from '../command.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';
import { readFieldValue } from './module-parameters.js';

/** An option that a terminal is prompted for if it is absent. */
export interface AskedOption<T> {
  readonly option: string;
  readonly question: string;
  /** Value without an answer. Undefined: the option is required. */
  readonly fallback: string | undefined;
  /** Returns the value, or throws an error with the expectation. */
  readonly read: (text: string) => T;
}

/**
 * Reads an option. Prompts for it on a terminal, until the answer is valid; elsewhere the fallback counts.
 *
 * @throws EngineError (USAGE) for an invalid or missing value
 */
export async function askOption<T>(args: Arguments, asked: AskedOption<T>, io: Io): Promise<T> {
  const { option, question, fallback, read } = asked;
  const given = args.text(option);
  const refuse = (error: unknown): Error =>
    usageError(`--${option}: ${error instanceof Error ? error.message : String(error)}`);
  if (given === undefined && io.ask !== undefined) {
    for (;;) {
      const answer = await io.ask(`${question}${fallback === undefined ? '' : ` [${fallback}]`}: `, false);
      if (answer === undefined) throw usageError(`No value was entered for --${option}.`);
      const text = answer.trim() === '' ? fallback : answer.trim();
      try {
        if (text !== undefined) return read(text);
      } catch (error) {
        await io.stderr.write(`${printableLine(error instanceof Error ? error.message : String(error))}\n`);
      }
    }
  }
  const text = given ?? fallback;
  if (text === undefined) throw usageError(`Missing --${option}: ${question}.`);
  try {
    return read(text);
  } catch (error) {
    throw refuse(error);
  }
}

/** A reader for one of several values. */
export function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new TypeError(`expected one of ${values.join(', ')}; got "${text}".`);
    return found;
  };
}

/** Multi-line or binary values: `NAME=@FILE`. */
const FILE_TYPES: ReadonlySet<ParameterType> = new Set(['pkey', 'cert', 'buffer']);

/** The prompt and the values so far. */
interface Form {
  readonly ask: NonNullable<Io['ask']>;
  readonly io: Io;
  /** Extended by every answer. */
  readonly values: PlainObject;
}

/**
 * Prompts for missing values of a form, field by field. Nested fields follow when their field has a value,
 * conditional fields when their condition holds. An empty answer keeps the default. Optional advanced fields are
 * skipped.
 *
 * @throws EngineError (USAGE) at the end of input
 */
export async function askParameters(list: ParameterList, given: PlainObject, io: Io): Promise<PlainObject> {
  const values: PlainObject = { ...given };
  if (io.ask !== undefined) await askFields(list.elements, { ask: io.ask, io, values });
  return values;
}

async function askFields(elements: readonly ParameterElement[], form: Form): Promise<void> {
  const { values } = form;
  const fields = walkShown(elements, {
    evaluate: (template) => evaluate(template, { parameters: values }),
    shownBy: (field) => {
      const value = Object.hasOwn(values, field.name) ? values[field.name] : field.default;
      return listShownFields(field, value, () => indexChoices(field.choices?.options));
    },
  });
  for (const field of fields) {
    const isAsked = field.type !== 'hidden' && !Object.hasOwn(values, field.name);
    if (isAsked) await askField(field, field.name, form);
  }
}

async function askField(field: ParameterSpec, name: string, { ask, io, values }: Form): Promise<void> {
  if (field.source['advanced'] === true && !field.required) return;
  const { help } = field.source;
  if (typeof help === 'string' && help !== '') await io.stderr.write(`${printableLine(help)}\n`);
  for (;;) {
    // Secrets are typed without echo. Source:
    // https://developers.make.com/custom-apps-documentation/block-elements/parameters.
    const answer = await ask(writeQuestion(field, name), isSecretField(field));
    if (answer === undefined) throw usageError(`No value was entered for the parameter "${name}".`);
    if (answer !== '') {
      const isFile = FILE_TYPES.has(field.type);
      const value = isFile ? await readFieldValue(answer, field, `"${name}"`, io) : coerceText(field, answer);
      setMember(values, name, value);
      return;
    }
    if (!field.required || (field.default !== undefined && field.default !== '')) return;
    await io.stderr.write('A value is required.\n');
  }
}

function writeQuestion(field: ParameterSpec, name: string): string {
  const label = field.label === undefined || field.label === name ? name : `${field.label} (${name})`;
  const isHidden = isSecretField(field);
  const known = field.default === undefined || isHidden ? '' : ` [${toText(field.default)}]`;
  const options = field.choices?.options?.map(({ value }) => toText(value)).slice(0, MAX_OPTIONS) ?? [];
  const choice = options.length === 0 ? '' : ` {${options.join(', ')}}`;
  const notes = [
    ...(isHidden ? ['not shown'] : []),
    ...(FILE_TYPES.has(field.type) ? ['@file reads a file'] : []),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  return `${printableLine(`${label}${choice}${known}`)}${note}: `;
}

const MAX_OPTIONS = 20;
