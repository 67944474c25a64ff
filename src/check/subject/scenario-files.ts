import path from 'node:path';
import { findModule, findWebhook } from '../../app/engine/find-component.js';
import type { App } from '../../document/app.js';
import type { Document } from '../../document/reading/document.js';
import { readDocument } from '../../document/reading/jsonc.js';
import { EngineError } from '../../errors/engine-error.js';
import type { Place } from '../../errors/place.js';
import { readScenarioFile, type ScenarioEntry } from '../../host/scenarios/scenario-file.js';
import { assertCanAnswer } from '../../host/store/scenario-plan.js';
import { completeSettings } from '../../scenario/state/scenario-settings.js';

/** A file of scenarios that is looked at together with the app. */
export interface ScenarioFile {
  /** From the folder of the app on, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** What a host would refuse a scenario for. */
export interface ScenarioRefusal {
  readonly message: string;
  readonly place: Place;
  /** Whether a responder and the order of events exclude each other. */
  readonly isAboutAnswer: boolean;
}

/** Where scenarios are looked for without a setting. */
const DEFAULT_FILE = 'scenarios.json';

/**
 * Finds the files of scenarios: those the settings name, else the one beside the manifest.
 *
 * @param named absolute; undefined where no settings name any
 * @throws EngineError (HOST_FILE) for one that is named and not there
 */
export async function findScenarioFiles(
  root: string,
  named: readonly string[] | undefined,
  textOf: (file: string) => Promise<string | undefined>,
): Promise<readonly ScenarioFile[]> {
  const files: ScenarioFile[] = [];
  for (const target of named ?? [path.join(root, DEFAULT_FILE)]) {
    const text = await textOf(target);
    const file = path.relative(root, target).split(path.sep).join('/');
    if (text !== undefined) files.push({ file, text });
    else if (named !== undefined)
      throw new EngineError('HOST_FILE', `There is no file of scenarios "${file}".`, { place: { file } });
  }
  return files;
}

/** Tries how a host sets scenarios up, as far as it depends on the files and this app. Steps of other apps are not known here. */
export function dryRunScenarios(app: App, files: readonly ScenarioFile[]): readonly ScenarioRefusal[] {
  return files.flatMap(({ file, text }) => {
    const refusals: ScenarioRefusal[] = [];
    const step = <T>(take: () => T, place?: Place, isAboutAnswer = false): T | undefined => {
      try {
        return take();
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        refusals.push({ message: error.message, place: place ?? error.place ?? { file }, isAboutAnswer });
        return undefined;
      }
    };
    const document = step(() => readDocument(text, file));
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
  readonly step: <T>(take: () => T, place?: Place, isAboutAnswer?: boolean) => T | undefined;
}

function dryRunEntry(app: App, entry: ScenarioEntry, { document, pointer, step }: EntrySpot): void {
  const at = (below: string): Place => document.placeOf(pointer + below);
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
