/** How names of files end that hold parts of an app, whatever its layout. Other JSON is none unless a manifest names it. */
export const SPEC_FILE: RegExp = /\.(?:imljson|iml\.json)$/;
