/** Extensions of app files in all layouts. Other JSON counts only if a manifest names it. */
export const SPEC_FILE: RegExp = /\.(?:imljson|iml\.json)$/;
