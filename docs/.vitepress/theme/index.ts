import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent } from 'vue';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component(
      'Playground',
      defineAsyncComponent(() => import('./Playground.vue')),
    );
  },
};
