import type { App } from '../document/app.js';
import { EngineError } from '../errors/engine-error.js';
import type { SourceLocation } from '../errors/source-location.js';
import { checkSubject } from './check-app.js';
import type { Finding } from './finding.js';
import { hideIgnored } from './hide-ignored.js';
import { createRefusal, orError } from './refusal.js';
import { SETTINGS_ERROR } from './rules.js';
import { DEFAULT_CHECK_SETTINGS } from './settings/check-settings.js';
import { findConfig } from './settings/find-config.js';
import { createSubject } from './subject/subject.js';
import type { ComponentName } from './subject/used-part.js';

/** What the check of a part of an app gave. */
export interface RunCheck {
  /** Errors and warnings, by file and place. */
  readonly findings: readonly Finding[];
  /** How many errors and warnings loading alone told of in the rest of the app. */
  readonly elsewhere: number;
  /** Whether something that is written there takes part in the runs. */
  readonly holds: (place: SourceLocation) => boolean;
}

/**
 * Checks what runs of some components use: these, their connections, webhooks and RPCs, the functions they call, the base.
 * The rest of the app is not looked at, so that the cost is that of the run's own documents; settings and comments count as
 * in a check of it all. Custom functions are not compiled, as a run tells of those it calls by itself.
 *
 * @param root the app's folder, absolute
 */
export async function checkRun(app: App, root: string, started: readonly ComponentName[]): Promise<RunCheck> {
  const subject = createSubject(app, { started });
  const holds = (place: SourceLocation): boolean => subject.part?.holds(place) ?? true;
  const config = await orError(findConfig(root));
  if (config instanceof EngineError)
    return { findings: [createRefusal(SETTINGS_ERROR, config)], elsewhere: 0, holds };
  const all = checkSubject(subject, config ?? DEFAULT_CHECK_SETTINGS);
  const { findings } = hideIgnored(subject.allDocuments, all, config?.ignore ?? []);
  const grave = findings.filter(({ level }) => level !== 'info');
  const own = grave.filter(({ place }) => holds(place));
  return { findings: own, elsewhere: grave.length - own.length, holds };
}
