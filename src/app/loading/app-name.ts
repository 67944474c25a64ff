import path from 'node:path';

/**
 * The name of an app by the folder it is in, an absolute path: one in `my-app/src` is called after `my-app`.
 */
export function deriveAppName(root: string): string {
  const name = path.basename(root);
  return name === 'src' ? path.basename(path.dirname(root)) : name;
}
