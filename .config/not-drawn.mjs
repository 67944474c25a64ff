/** Why a change was left out that was not asked for, as its runner says it and its report reads it. */
export const NOT_DRAWN = 'not drawn';
