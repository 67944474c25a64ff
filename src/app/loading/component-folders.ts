/** The exporter writes a folder per kind, in the singular; repositories made from exports use the plural too. [src][app] */
export function kindFolders(kind: string): readonly string[] {
  return [`${kind}s`, kind];
}
