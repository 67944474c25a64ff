import type { App } from '../../engine/document/app.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { checkSubject, hideIgnored } from './check-app.js';
import { createRefusal, type Finding, orError } from './finding.js';
import { SETTINGS_ERROR } from './rules.js';
import { DEFAULT_CHECK_SETTINGS, findConfig } from './settings.js';
import { createSubject } from './subject/subject.js';
import type { ComponentName } from './subject/used-part.js';

/** Result of checking a part of an app. */
export interface RunCheck {
  /** Errors and warnings by file and location. */
  readonly findings: readonly Finding[];
  /** Number of errors and warnings that loading found in the rest of the app. */
  readonly elsewhere: number;
  /** Whether a source location is in a document that the run uses. */
  readonly holds: (place: SourceLocation) => boolean;
}

/**
 * Checks the components of a run and their dependencies: connections, webhooks, RPCs, called functions, the base. The
 * cost is that of these documents only. Settings and comments apply. Custom functions are not compiled, because the
 * run reports errors of those it calls.
 *
 * @param root absolute folder of the app
 */
export async function checkRun(app: App, root: string, started: readonly ComponentName[]): Promise<RunCheck> {
  const subject = createSubject(app, { started });
  const holds = (place: SourceLocation): boolean => subject.part?.holds(place) ?? true;
  const config = await orError(findConfig(root));
  if (config instanceof EngineError)
    return { findings: [createRefusal(SETTINGS_ERROR, config)], elsewhere: 0, holds };
  // A run reports mistakes only, also where `iml.config.json` makes the profile `review` the default.
  const all = checkSubject(subject, { ...(config ?? DEFAULT_CHECK_SETTINGS), profile: 'default' });
  const { findings } = hideIgnored(subject.allDocuments, all, config?.ignore ?? []);
  const grave = findings.filter(({ level }) => level !== 'info');
  const own = grave.filter(({ place }) => holds(place));
  return { findings: own, elsewhere: grave.length - own.length, holds };
}
