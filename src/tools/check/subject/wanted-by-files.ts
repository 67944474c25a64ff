import type { Document } from '../../../engine/document/document.js';
import { problemOfPath } from '../../../engine/loading/app-folder.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, readAt } from '../../../shared/plain-object.js';
import { type ProjectOptions, sentencesOf } from '../project-options.js';

/** Something that files of a repository want, which the user has to confirm or which is refused. */
export interface WantedByFiles {
  readonly message: string;
  readonly place: SourceLocation;
  readonly isRefused: boolean;
}

/** Where the editor of the platform keeps keys: a hidden folder of the workspace, which may contain the app. [src] */
const KEY_FOLDER = /^(?:\.\.\/)*\.secrets\//;

/** What an origin wants, as sentences for the user. */
export function sentencesOfOrigin(origin: {
  readonly baseUrl: string;
  readonly appId: string;
  readonly apikeyFile: string | undefined;
}): readonly string[] {
  const { baseUrl, appId, apikeyFile } = origin;
  return [
    `exchange the app "${appId}" with ${baseUrl}, which gets your token`,
    ...(apikeyFile === undefined ? [] : [`read your token for ${baseUrl} from the file ${apikeyFile}`]),
  ];
}

/** What the manifest and `iml.config.json` want. */
export function listWantedByFiles(
  manifest: Document | undefined,
  options: { readonly values: ProjectOptions; readonly place: SourceLocation } | undefined,
): readonly WantedByFiles[] {
  const ofOptions = [...(options?.values ?? [])].flatMap(([name, texts]) => sentencesOf(name, texts));
  return [
    ...(manifest === undefined ? [] : [...listOfReadme(manifest), ...listOfOrigins(manifest)]),
    ...ofOptions.flatMap((sentence) => (options ? [toConfirm(sentence, options.place)] : [])),
  ];
}

function toConfirm(sentence: string, place: SourceLocation): WantedByFiles {
  return { message: `Commands ask before they ${sentence}.`, place, isRefused: false };
}

/** Other files of the app are refused when it is loaded. A readme above the app is common, and left alone. */
function listOfReadme(manifest: Document): readonly WantedByFiles[] {
  const readme = readAt(manifest.value, 'generalCodeFiles', 'readme');
  if (typeof readme !== 'string') return [];
  const below = readme.replaceAll('\\', '/').replace(/^(?:\.\.?\/)+/, '');
  const problem = problemOfPath(below);
  if (problem === undefined) return [];
  const place = manifest.locationOf('/generalCodeFiles/readme');
  return [{ message: `The file "${readme}" ${problem}.`, place, isRefused: true }];
}

function listOfOrigins(manifest: Document): readonly WantedByFiles[] {
  const origins = readAt(manifest.value, 'origins');
  return (Array.isArray(origins) ? origins : []).flatMap((origin: unknown, index): WantedByFiles[] => {
    if (!isPlainObject(origin)) return [];
    const { baseUrl, appId, apikeyFile: file } = origin;
    if (typeof baseUrl !== 'string' || typeof appId !== 'string') return [];
    const apikeyFile = typeof file === 'string' ? file : undefined;
    const place = manifest.locationOf(`/origins/${index}`);
    const wanted = sentencesOfOrigin({ baseUrl, appId, apikeyFile }).map((one) => toConfirm(one, place));
    const problem = apikeyFile === undefined ? undefined : problemOfKeyFile(apikeyFile);
    if (problem === undefined) return wanted;
    return [...wanted, { message: `The file "${apikeyFile}" ${problem}.`, place, isRefused: true }];
  });
}

/** A key file is a file of the app, or one in the folder of keys: no other hidden file is sent. */
export function problemOfKeyFile(file: string): string | undefined {
  const normal = file.replaceAll('\\', '/').replace(/^\.\//, '');
  return problemOfPath(normal.replace(KEY_FOLDER, ''));
}
