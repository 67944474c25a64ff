import path from 'node:path';
import { loadApp } from '../../../engine/loading/load-app.js';
import { createFolderWriter } from '../../../shared/files.js';
import { valuesOf } from '../infer/answers.js';
import { inferPart } from '../infer/infer-part.js';
import { targetOfModule } from '../infer/infer-target.js';

/**
 * Writes interface and samples of a module from responses, as the module outputs them.
 *
 * @param root folder of the app
 * @returns why a response gave nothing
 */
export async function fillModule(
  root: string,
  name: string,
  responses: readonly unknown[],
): Promise<readonly string[]> {
  const app = await loadApp(root);
  const module = app.modules.get(name);
  if (module === undefined) return [];
  const answers = responses.map((value, index) => ({ source: `response ${index + 1}`, value }));
  const target = targetOfModule(module);
  const { values, problems } = await valuesOf(app, target, answers, 'bundles');
  if (values.length === 0) return problems;
  const writer = createFolderWriter(root);
  for (const part of ['interface', 'samples'] as const) {
    const { file, text, isChanged } = await inferPart(root, { target, part, values });
    if (isChanged) await writer.replace(path.join(root, file), text);
  }
  return problems;
}
