import type { Document } from '../../document/reading/document.js';
import { SpecError } from '../../errors/engine-error.js';
import { childPointer } from '../../errors/source-location.js';
import { isPlainObject } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';
import type { Level } from '../finding.js';
import { readUnquoted } from '../read-unquoted.js';
import type { ScenarioPath } from '../subject/scenario-files.js';
import type { CheckSettings } from './check-settings.js';
import { CONFIG_KEYS, LEVEL_WORDS } from './config-shape.js';

/** Name of the settings file, beside the manifest or in a parent folder. */
export const CONFIG_FILE = 'iml.config.json';

/** Settings of the check in `iml.config.json`. */
export interface CheckConfig extends CheckSettings {
  /** Ignored folders of the app, with `/`. */
  readonly ignore: readonly string[];
  /** Files of scenarios; undefined without the setting. */
  readonly scenarios: readonly ScenarioPath[] | undefined;
}

/**
 * Parses the settings: `{ "check": { "rules": { "dead-branch": "off" }, "ignore": ["modules/old"] } }`, JSON with
 * comments.
 *
 * @param file name of the file in messages
 * @throws SpecError SPEC_JSON, or SPEC_INVALID for unknown rule IDs, levels and members
 */
export function readCheckConfig(text: string, file: string): CheckConfig {
  const document = readUnquoted(text, file);
  const root = readObject(document, document.value, '');
  refuseOthers(document, root, '', CONFIG_KEYS.root);
  const check = readObject(document, root['check'] ?? {}, '/check');
  refuseOthers(document, check, '/check', CONFIG_KEYS.check);
  return {
    levels: readLevels(document, check['rules'] ?? {}),
    ignore: readIgnore(document, check['ignore'] ?? []),
    scenarios: readScenarios(document, root['scenarios']),
  };
}

function readLevels(document: Document, value: unknown): CheckSettings['levels'] {
  const rules = readObject(document, value, '/check/rules');
  refuseOthers(document, rules, '/check/rules', CONFIG_KEYS.rules, 'rule');
  const levels: Record<string, Level | 'off'> = {};
  for (const [id, level] of Object.entries(rules)) {
    if (!isLevel(level)) {
      throw invalid(
        document,
        childPointer('/check/rules', id),
        `The level of a rule is one of ${LEVEL_WORDS.join(', ')}.`,
      );
    }
    levels[id] = level;
  }
  return levels;
}

function isLevel(value: unknown): value is Level | 'off' {
  return LEVEL_WORDS.some((level) => level === value);
}

function readIgnore(document: Document, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalid(document, '/check/ignore', 'check.ignore is a list of folders.');
}

function readScenarios(document: Document, value: unknown): readonly ScenarioPath[] | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [{ file: value, locate: () => document.locationOf('/scenarios') }];
  if (Array.isArray(value) && value.every((file) => typeof file === 'string')) {
    return value.map((file, index) => ({ file, locate: () => document.locationOf(`/scenarios/${index}`) }));
  }
  throw invalid(document, '/scenarios', 'scenarios is a file, or a list of files.');
}

function readObject(document: Document, value: unknown, pointer: string): Readonly<Record<string, unknown>> {
  if (isPlainObject(value)) return value;
  throw invalid(
    document,
    pointer,
    `${pointer === '' ? 'The file' : pointer.slice(1).replaceAll('/', '.')} is no object.`,
  );
}

function refuseOthers(
  document: Document,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  known: readonly string[],
  what = 'setting',
): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other === undefined) return;
  const message = `There is no ${what} "${other}".${didYouMean(other, known)}`;
  throw invalid(document, childPointer(pointer, other), message, 'key');
}

function invalid(document: Document, pointer: string, message: string, part?: 'key'): SpecError {
  const place = document.locationOf(pointer, undefined, part);
  return new SpecError('SPEC_INVALID', message, { place });
}
