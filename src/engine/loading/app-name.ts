import path from 'node:path';

/** Name of an app by its absolute folder: `my-app` for `my-app/src`. */
export function deriveAppName(root: string): string {
  const name = path.basename(root);
  return name === 'src' ? path.basename(path.dirname(root)) : name;
}
