/** Number of templates per app. All differ. */
export const TEMPLATES_PER_APP = 50;

const MODULES_PER_APP = 5;

/** The texts of an app. They differ from those of all other apps. */
export interface AppTexts {
  readonly name: string;
  readonly modules: readonly (readonly string[])[];
}

export function appTexts(number: number): AppTexts {
  const perModule = TEMPLATES_PER_APP / MODULES_PER_APP;
  const modules = Array.from({ length: MODULES_PER_APP }, (_, module) =>
    Array.from(
      { length: perModule },
      (_, index) => FORMS[index % FORMS.length]?.(`${number}_${module}_${index}`) ?? '',
    ),
  );
  // JSON makes each text a flat string.
  return JSON.parse(JSON.stringify({ name: `app-${number}`, modules })) as AppTexts;
}

const FORMS: readonly ((id: string) => string)[] = [
  (id) => `{{item.field_${id}}}`,
  (id) => `{{item.first_${id}}} {{item.last}}`,
  (id) => `{{if(item.active; "on ${id}"; item.state)}}`,
  (id) => `{{formatDate(now; "YYYY-MM-DD")}} ${id}`,
  (id) => `{{ifempty(item.tags_${id}; upper(item.last))}}`,
];
