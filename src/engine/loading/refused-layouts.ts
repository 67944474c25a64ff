import path from 'node:path';
import { SpecError } from '../../shared/errors/engine-error.js';
import { readRegularFile } from '../../shared/files.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { readDocument } from '../document/jsonc.js';
import { type AppFolder, kindFolders, MAX_FILE_BYTES, SPEC_FILE } from './app-folder.js';
import { CODE_TYPES, COMPONENT_KINDS, type ComponentKind } from './code-types.js';
import { findFlatFiles } from './read-component-files.js';
import { MANIFEST } from './read-manifest.js';

/** Layouts of app folders that are refused, with the reason. */

const LAYOUT = [
  'Write a folder for each component, with a file for each of its parts:',
  '  modules/getThing/metadata.json     its metadata: {"label": "...", "type": "action"}',
  '  modules/getThing/api.imljson       its communication: the request, or a list of them',
  '  modules/getThing/expect.imljson    its parameters: a list of fields',
  `beside base.imljson. Then "iml migrate" writes the ${MANIFEST} that names these files.`,
].join('\n');

/** Message for an export that is still packed. */
export function explainZip(given: string, kind: 'file' | 'other' | undefined): string | undefined {
  if (kind !== 'file' || !/\.zip$/i.test(given)) return undefined;
  return `"${given}" is a ZIP archive. Unpack it, and name the folder.`;
}

/**
 * Message for a folder without an app: names the file that looks like a part of one, and what was expected.
 *
 * @param files paths of all files below the start
 */
export function explainMissing(start: string, given: string, files: readonly string[]): string {
  const nothing = `There is no app in "${given}".`;
  const near = files
    .filter((file) => file.split('/').length <= 3 && /\.(?:jsonc?|imljson)$/.test(file))
    .slice(0, MAX_CANDIDATES);
  const manifest = near.find((file) => holdsModules(readJson(start, file)));
  if (manifest !== undefined) {
    return `${nothing} "${manifest}" holds a whole app in one file, a layout that neither the editor nor Make reads.\n${LAYOUT}`;
  }
  const flat = near.find((file) => /\.(?:communication|api)\.(?:jsonc?|imljson)$/.test(file));
  if (flat !== undefined) {
    return `${nothing} The name of "${flat}" does not say what kind of component it is: expected "module.NAME.communication.json" or "modules/NAME.communication.json".\n${LAYOUT}`;
  }
  const single = near.find((file) => holdsCommunication(readJson(start, file)));
  if (single !== undefined) {
    return `${nothing} "${single}" holds a whole component in one file, a layout that neither the editor nor Make reads.\n${LAYOUT}`;
  }
  const zip = files.find((file) => /\.zip$/i.test(file));
  const packed = zip === undefined ? '' : ` If "${zip}" is an exported app, unpack it.`;
  return `${nothing} Expected ${MANIFEST}, or the folders of an exported app: module/NAME/api.imljson.${packed}`;
}

/** Files that are looked at for the message. */
const MAX_CANDIDATES = 100;

function readJson(start: string, file: string): unknown {
  try {
    const read = readRegularFile(path.join(start, file), MAX_FILE_BYTES);
    return read.ok ? readDocument(read.bytes.toString('utf8'), file, () => {}).value : undefined;
  } catch {
    return undefined;
  }
}

/** `modules` of packages and of other tools are lists of texts. */
function holdsModules(value: unknown): boolean {
  const modules = isPlainObject(value) ? ownMember(value, 'modules') : undefined;
  const rows: readonly unknown[] = isPlainObject(modules)
    ? Object.values(modules)
    : Array.isArray(modules)
      ? modules
      : [];
  return rows.some(
    (row) =>
      isPlainObject(row) && (holdsCommunication(row) || Object.hasOwn(row, 'request') || hasModuleType(row)),
  );
}

function hasModuleType(row: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof row['type'] === 'string' &&
    /^(?:action|search|trigger|instant_trigger|universal)$/.test(row['type'])
  );
}

function holdsCommunication(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const communication = ownMember(value, 'communication') ?? ownMember(value, 'api');
  return isPlainObject(communication) || Array.isArray(communication);
}

/** Specification files directly in the folder of a kind, such as `modules/createContact.imljson`. */
export function findSingleFiles(
  files: Iterable<string>,
): readonly { readonly kind: ComponentKind; readonly file: string }[] {
  return [...files].flatMap((file) => {
    const [folder = '', name = '', ...deeper] = file.split('/');
    const kind = COMPONENT_KINDS.find((one) => kindFolders(one).includes(folder));
    const isSpec = SPEC_FILE.test(name) && !/^(?:groups|base|common)\./.test(name);
    if (kind === undefined || deeper.length > 0 || isPartOfKind(kind, name)) return [];
    if (findFlatFiles([file]).length > 0) return [];
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
 * Refuses an app with one file per component. Neither the editor nor Make has such a layout, so the meaning of its
 * members is unknown.
 *
 * @throws SpecError SPEC_INVALID with the found and the expected layout
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
    `or a ${MANIFEST} that names such files; "iml migrate" writes one.`,
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
