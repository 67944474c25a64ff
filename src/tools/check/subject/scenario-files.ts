import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { findModule, findWebhook } from '../../../engine/find-component.js';
import { openAppFolder } from '../../../engine/loading/app-folder.js';
import { readScenarioFile, type ScenarioEntry } from '../../../host/scenarios/scenario-file.js';
import { assertCanAnswer } from '../../../host/store/scenario-plan.js';
import { completeSettings } from '../../../scenario/scenario-state.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { relativePath } from '../../../shared/files.js';
import { readUnquoted } from '../read-unquoted.js';

/** A file of scenarios that is checked with the app. */
export interface ScenarioFile {
  /** Relative to the app, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** A file in the settings. */
export interface ScenarioPath {
  /** Relative to the settings file. */
  readonly file: string;
  /** Its location, for errors. */
  readonly locate: () => SourceLocation;
}

/** Settings with files of scenarios. */
export interface NamingSettings {
  /** Absolute folder of the settings. */
  readonly folder: string;
  readonly scenarios: readonly ScenarioPath[] | undefined;
}

/** A reason why a host refuses a scenario. */
export interface ScenarioRefusal {
  readonly message: string;
  readonly place: SourceLocation;
  /** Whether a responder conflicts with `ordered`. */
  readonly isAboutAnswer: boolean;
}

/** Default file. */
const DEFAULT_FILE = 'scenarios.json';

const OUTSIDE = 'lies outside of the folder of iml.config.json: expected a file in it or below it';

/**
 * Finds the files of scenarios: those of the settings, else the one beside the manifest. Files must be in the folder
 * of the settings.
 *
 * @throws EngineError (HOST_FILE) for a missing file; SpecError (SPEC_READ) for a file that is elsewhere, hidden or
 * large
 */
export async function findScenarioFiles(
  root: string,
  settings: NamingSettings = { folder: root, scenarios: undefined },
  overlay?: ReadonlyMap<string, string>,
): Promise<readonly ScenarioFile[]> {
  const { folder, scenarios: named } = settings;
  if (named === undefined) {
    const text = await openAppFolder(root, { overlay }).read(DEFAULT_FILE, () => ({ file: DEFAULT_FILE }));
    return text === undefined ? [] : [{ file: DEFAULT_FILE, text }];
  }
  const { read } = openAppFolder(folder, { overlay, outside: OUTSIDE });
  const texts = new Map<string, string>();
  for (const { file: written, locate } of named) {
    const file = relativePath(root, path.resolve(folder, written));
    const text = texts.get(file) ?? (await read(written, locate));
    if (text === undefined) throw missing(file, locate());
    texts.set(file, text);
  }
  return [...texts].map(([file, text]) => ({ file, text }));
}

function missing(file: string, place: SourceLocation): EngineError {
  return new EngineError('HOST_FILE', `There is no file of scenarios "${file}".`, { place });
}

/**
 * Sets up scenarios as a host does, as far as it depends on the files and this app. Steps of other apps are skipped.
 */
export function dryRunScenarios(app: App, files: readonly ScenarioFile[]): readonly ScenarioRefusal[] {
  return files.flatMap(({ file, text }) => {
    const refusals: ScenarioRefusal[] = [];
    const step = <T>(take: () => T, place?: SourceLocation, isAboutAnswer = false): T | undefined => {
      try {
        return take();
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        refusals.push({ message: error.message, place: place ?? error.place ?? { file }, isAboutAnswer });
        return undefined;
      }
    };
    const document = step(() => readUnquoted(text, file));
    const entries = document && step(() => readScenarioFile(text, file));
    entries?.forEach((entry, index) => {
      if (document !== undefined) dryRunEntry(app, entry, { document, pointer: `/scenarios/${index}`, step });
    });
    return refusals;
  });
}

interface EntrySpot {
  readonly document: Document;
  readonly pointer: string;
  readonly step: <T>(take: () => T, place?: SourceLocation, isAboutAnswer?: boolean) => T | undefined;
}

function dryRunEntry(app: App, entry: ScenarioEntry, { document, pointer, step }: EntrySpot): void {
  const at = (below: string): SourceLocation => document.locationOf(pointer + below);
  const { name, webhook, modules, ordered } = entry;
  if (webhook?.app === app.name) step(() => findWebhook(app, webhook.webhook), at('/webhook/webhook'));
  const types = modules.map((one, index) =>
    one.app === app.name
      ? step(() => findModule(app, one.module).type, at(`/modules/${index}/module`))
      : undefined,
  );
  const settings = step(() => completeSettings(entry.settings), at('/settings'));
  if (settings === undefined) return;
  const answers = types.includes('responder');
  const keeps = ordered ? '/ordered' : '/settings/sequential';
  step(() => assertCanAnswer(name, { answers, ordered, settings }), at(keeps), true);
}
