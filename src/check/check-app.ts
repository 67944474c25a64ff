import type { App } from '../document/app.js';
import type { Finding } from './finding.js';
import { compareFindings } from './order-findings.js';
import { RULES } from './rules.js';
import { type CheckSettings, DEFAULT_CHECK_SETTINGS, resolveLevel } from './settings/check-settings.js';
import { compileFunctions } from './subject/compile-functions.js';
import { createSubject, type Subject } from './subject/subject.js';

/**
 * Looks an app over: every rule, in the levels of the settings. Nothing is sent and nothing is run; custom functions
 * are compiled in their sandbox.
 *
 * @returns what was found, by file and place; the same thing at the same place once
 * @example
 * const findings = await checkApp(await loadApp('./my-app'));
 * for (const { rule, message, place } of findings) console.log(place.file, place.line, rule, message);
 */
export async function checkApp(
  app: App,
  settings: CheckSettings = DEFAULT_CHECK_SETTINGS,
): Promise<readonly Finding[]> {
  return checkSubject(createSubject(app, { functionWarnings: await compileFunctions(app) }), settings);
}

/** `checkApp` for an existing subject. */
export function checkSubject(subject: Subject, settings: CheckSettings): readonly Finding[] {
  const findings = new Map<string, Finding>();
  for (const rule of RULES) {
    const level = resolveLevel(settings, rule);
    if (level === 'off') continue;
    rule.check(subject, (found) => {
      const { file = '', line = 0, column = 0, pointer = '' } = found.place;
      // A file of two components is checked twice.
      const key = JSON.stringify([rule.id, file, line, column, line === 0 ? pointer : '', found.message]);
      if (!findings.has(key)) findings.set(key, { ...found, rule: rule.id, level });
    });
  }
  return [...findings.values()].sort(compareFindings);
}
