/** Folders per kind: singular in exports, plural in some repositories. [src][app] */
export function kindFolders(kind: string): readonly string[] {
  return [`${kind}s`, kind];
}
