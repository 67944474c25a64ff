import path from 'node:path';
import { SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { CODE_TYPES, COMPONENT_KINDS, type ComponentKind } from '../assembling/code-types.js';
import { readDocument } from '../document/jsonc.js';
import { type AppFolder, kindFolders, SPEC_FILE } from './app-folder.js';

/** Specification files directly in the folder of a kind, such as `modules/createContact.imljson`. */
export function findSingleFiles(
  files: Iterable<string>,
): readonly { readonly kind: ComponentKind; readonly file: string }[] {
  return [...files].flatMap((file) => {
    const [folder = '', name = '', ...deeper] = file.split('/');
    const kind = COMPONENT_KINDS.find((one) => kindFolders(one).includes(folder));
    const isSpec = SPEC_FILE.test(name) && !/^(?:groups|base|common)\./.test(name);
    if (kind === undefined || deeper.length > 0 || isPartOfKind(kind, name)) return [];
    return isSpec ? [{ kind, file }] : [];
  });
}

/** Whether the folder of a kind is that of its only component: `connection/api.imljson`. */
function isPartOfKind(kind: ComponentKind, name: string): boolean {
  if (kind !== 'connection' && kind !== 'webhook') return false;
  const stem = name.replace(SPEC_FILE, '').replace(`${kind}.`, '');
  return Object.values(CODE_TYPES[kind]).some(({ part, section }) => stem === part || stem === section);
}

/**
 * Refuses an app that keeps a component in one file: neither the editor nor the platform has such a layout, and what
 * its members would mean can only be guessed.
 *
 * @throws SpecError SPEC_INVALID that says what was found and expected, and shows the layout
 */
export async function refuseSingleFiles(folder: AppFolder, files: Iterable<string>): Promise<void> {
  const single = findSingleFiles(files);
  const [first] = single;
  if (first === undefined) return;
  const { kind, file } = first;
  const own = `${path.posix.dirname(file)}/${path.posix.basename(file).replace(SPEC_FILE, '')}`;
  const more = single.length === 1 ? '' : ` (and ${single.length - 1} more like it)`;
  const message = [
    `The ${kind} in "${file}"${more} is written in one file${await listMembers(folder, file)}.`,
    'Expected is a folder for each component, with a file for each of its parts:',
    `  ${own}/metadata.json     its metadata: {"label": "...", "type": "..."}`,
    `  ${own}/api.imljson       its communication: the request, or a list of them`,
    `  ${own}/${kind === 'module' ? 'expect.imljson   ' : 'parameters.imljson'} its parameters: a list of fields`,
    'or a makecomapp.json that names such files.',
  ].join('\n');
  throw new SpecError('SPEC_INVALID', message, { place: { file, line: 1, column: 1 } });
}

async function listMembers(folder: AppFolder, file: string): Promise<string> {
  try {
    const text = await folder.read(file, () => ({ file }));
    const { value } = readDocument(text ?? '', file, () => {});
    const names = isPlainObject(value) ? Object.keys(value).slice(0, 8) : [];
    return names.length === 0 ? '' : `, with ${names.join(', ')}`;
  } catch (error) {
    if (error instanceof SpecError) return '';
    throw error;
  }
}
