import path from 'node:path';
import type { Document } from '../../../engine/document/document.js';
import { openAppFolder } from '../../../engine/loading/app-folder.js';
import { CODE_TYPES } from '../../../engine/loading/code-types.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { createFolderWriter } from '../../../shared/files.js';
import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import { type Manifest, readManifestText, recordsOf, withMember } from '../new-files.js';
import { valuesOf } from './answers.js';
import { inferFields, inferSample } from './infer-fields.js';
import { assertPart, type InferredPart, type InferTarget, targetOfModule } from './infer-target.js';
import { type MergedText, mergeFields, mergeSample } from './merge-fields.js';

/** A changed or new file of a component. */
export interface InferredFile extends MergedText {
  /** Relative to the app. */
  readonly file: string;
  /** Whether the text differs from the file. */
  readonly isChanged: boolean;
  /** The manifest with the new file; undefined if it names the file already. */
  readonly manifest: Manifest | undefined;
}

/**
 * Merges what values show into a file of a component.
 *
 * @param root folder of the app
 * @param values outputs of the component, or its inputs for `parameters`
 * @throws EngineError (USAGE) if no value is an object, or if the app has neither a file nor a manifest;
 * SpecError (SPEC_READ, SPEC_JSON)
 */
export async function inferPart(
  root: string,
  {
    target,
    part,
    values,
  }: { readonly target: InferTarget; readonly part: InferredPart; readonly values: readonly unknown[] },
): Promise<InferredFile> {
  if (!values.some(isPlainObject)) {
    const what = part === 'parameters' ? 'input' : 'bundle';
    throw new EngineError('USAGE', `The ${target.kind} "${target.name}" has no ${what} that is an object.`);
  }
  const { file, manifest } = await findFile(root, target, part);
  const text = (await openAppFolder(root).read(file, () => ({ file }))) ?? '';
  const merged =
    part === 'samples'
      ? mergeSample(
          text,
          file,
          inferSample(values, (name) => isSecretName(name, 'body')),
        )
      : mergeFields(text, file, inferFields(values));
  return { ...merged, file, isChanged: merged.text !== text, manifest };
}

async function findFile(
  root: string,
  target: InferTarget,
  part: InferredPart,
): Promise<Pick<InferredFile, 'file' | 'manifest'>> {
  const { kind, name, communication, parts } = target;
  const { code, document } = assertPart(target, part);
  if (document?.file !== undefined) return { file: document.file, manifest: undefined };
  const text = await openAppFolder(root).read(MANIFEST, () => ({ file: MANIFEST }));
  const manifest = text === undefined ? undefined : readManifestText(text);
  const row = manifest && recordsOf(manifest, kind).get(name);
  const codeFiles = readAt(row, 'codeFiles');
  const declared = readAt(codeFiles, code);
  if (typeof declared === 'string' && declared !== '') return { file: declared, manifest: undefined };
  const siblings = [communication, ...Object.values(parts).map((other) => other.document)];
  const file = deriveFile(
    siblings.find((sibling) => sibling?.file !== undefined),
    CODE_TYPES[kind][code]?.part ?? code,
  );
  if (manifest === undefined || !isPlainObject(codeFiles) || file === undefined) {
    const message = `The ${kind} "${name}" has no file for its ${part}. Create an empty one first.`;
    throw new EngineError('USAGE', message);
  }
  return { file, manifest: withMember(manifest, ['components', kind, name, 'codeFiles', code], file) };
}

/** The name of a sibling: `get-user.communication.iml.json` → `get-user.interface.iml.json`. */
function deriveFile(sibling: Document | undefined, part: string): string | undefined {
  if (sibling?.file === undefined) return undefined;
  const { dir, base } = path.posix.parse(sibling.file);
  const extension = /\.iml\.jsonc?$|\.imljson$|\.json$/.exec(base)?.[0] ?? '.iml.json';
  const stem = base.slice(0, -extension.length).split('.').slice(0, -1).join('.');
  return path.posix.join(dir, `${stem === '' ? part : `${stem}.${part}`}${extension}`);
}

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
