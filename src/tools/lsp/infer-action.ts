import type { App, ModuleComponent } from '../../engine/document/app.js';
import { editJson } from '../../engine/document/edit-json.js';
import type { Finding } from '../check/finding.js';

/** A quick fix that replaces the text of the file of a diagnostic. */
export interface InferAction {
  readonly title: string;
  readonly text: string;
}

/**
 * The quick fix of `unfilled-interface` and `interface-missing` in the file of an interface: without the field that the
 * output cannot give, and with the fields that the cases of the module show. Undefined if nothing would change.
 *
 * @param text of the file, as in the editor
 */
export async function createInferAction(
  app: App,
  root: string,
  { rule, place }: Finding,
  text: string,
): Promise<InferAction | undefined> {
  if (rule !== 'unfilled-interface' && rule !== 'interface-missing') return undefined;
  const module = [...app.modules.values()].find(({ interface: fields }) => fields?.file === place.file);
  if (module === undefined || place.file === undefined) return undefined;
  const index = /^\/(\d+)\/name$/.exec(place.pointer ?? '')?.[1];
  const kept =
    rule === 'unfilled-interface' && index !== undefined
      ? editJson(text, [{ path: [Number(index)], value: undefined }])
      : text;
  const inferred = await inferFromCases(app, root, module, { file: place.file, text: kept });
  if (inferred !== undefined && inferred !== kept) {
    return { title: `Infer the interface of "${module.name}" from its test cases`, text: inferred };
  }
  return kept === text ? undefined : { title: 'Remove the field', text: kept };
}

async function inferFromCases(
  app: App,
  root: string,
  module: ModuleComponent,
  { file, text }: { readonly file: string; readonly text: string },
): Promise<string | undefined> {
  // Loaded on use: cases run in the engine.
  const { readCaseAnswers } = await import('../life/infer/answers.js');
  const { inferFields } = await import('../life/infer/infer-fields.js');
  const { mergeFields } = await import('../life/infer/merge-fields.js');
  const { values } = await readCaseAnswers(app, module, { root, paths: [], wanted: 'bundles' });
  return values.length === 0 ? undefined : mergeFields(text, file, inferFields(values)).text;
}
