import path from 'node:path';
import type { ModuleComponent } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { openAppFolder } from '../../../engine/loading/app-folder.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember } from '../../../shared/plain-object.js';
import { type Manifest, readManifestText, recordsOf, withMember } from '../new-files.js';
import { inferFields, inferSample } from './infer-fields.js';
import { type MergedText, mergeFields, mergeSample } from './merge-fields.js';

/** Parts of a module that can be inferred, and their code types. */
export const INFERRED_PARTS = {
  interface: 'interface',
  samples: 'samples',
  parameters: 'mappableParams',
} as const;

export type InferredPart = keyof typeof INFERRED_PARTS;

/** A changed or new file of a module. */
export interface InferredFile extends MergedText {
  /** Relative to the app. */
  readonly file: string;
  /** Whether the text differs from the file. */
  readonly isChanged: boolean;
  /** The manifest with the new file; undefined if it names the file already. */
  readonly manifest: Manifest | undefined;
}

/**
 * Merges what values show into a file of a module.
 *
 * @param root folder of the app
 * @param values bundles of the module, or its inputs for `parameters`
 * @throws EngineError (USAGE) if no value is an object, or if the app has neither a file nor a manifest;
 * SpecError (SPEC_READ, SPEC_JSON)
 */
export async function inferPart(
  root: string,
  {
    module,
    part,
    values,
  }: { readonly module: ModuleComponent; readonly part: InferredPart; readonly values: readonly unknown[] },
): Promise<InferredFile> {
  if (!values.some(isPlainObject)) {
    const what = part === 'parameters' ? 'input' : 'bundle';
    throw new EngineError('USAGE', `The module "${module.name}" has no ${what} that is an object.`);
  }
  const { file, manifest } = await findFile(root, module, part);
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
  module: ModuleComponent,
  part: InferredPart,
): Promise<Pick<InferredFile, 'file' | 'manifest'>> {
  const code = INFERRED_PARTS[part];
  const document = module[code];
  if (document?.file !== undefined) return { file: document.file, manifest: undefined };
  const text = await openAppFolder(root).read(MANIFEST, () => ({ file: MANIFEST }));
  const manifest = text === undefined ? undefined : readManifestText(text);
  const row = manifest && recordsOf(manifest, 'module').get(module.name);
  const codeFiles = isPlainObject(row) ? ownMember(row, 'codeFiles') : undefined;
  const declared = isPlainObject(codeFiles) ? ownMember(codeFiles, code) : undefined;
  if (typeof declared === 'string' && declared !== '') return { file: declared, manifest: undefined };
  const { communication, interface: fields, samples, mappableParams, staticParams } = module;
  const file = deriveFile(communication ?? fields ?? samples ?? mappableParams ?? staticParams, code);
  if (manifest === undefined || !isPlainObject(codeFiles) || file === undefined) {
    const message = `The module "${module.name}" has no file for its ${part}. Create an empty one first.`;
    throw new EngineError('USAGE', message);
  }
  return {
    file,
    manifest: withMember(manifest, ['components', 'module', module.name, 'codeFiles', code], file),
  };
}

/** The name of a sibling: `get-user.communication.iml.json` → `get-user.interface.iml.json`. */
function deriveFile(sibling: Document | undefined, code: string): string | undefined {
  if (sibling?.file === undefined) return undefined;
  const part = code === 'mappableParams' ? 'mappable-params' : code;
  const { dir, base } = path.posix.parse(sibling.file);
  const extension = /\.iml\.jsonc?$|\.imljson$|\.json$/.exec(base)?.[0] ?? '.iml.json';
  const stem = base.slice(0, -extension.length).split('.').slice(0, -1).join('.');
  return path.posix.join(dir, `${stem === '' ? part : `${stem}.${part}`}${extension}`);
}
