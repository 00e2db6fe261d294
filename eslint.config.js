import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const NODE_GLOBALS = Object.fromEntries(
  [
    'AbortSignal',
    'Buffer',
    'clearInterval',
    'clearTimeout',
    'console',
    'fetch',
    'performance',
    'process',
    'setInterval',
    'setTimeout',
    'URL',
  ].map((name) => [name, 'readonly']),
);

export default defineConfig([
  globalIgnores([
    '**/dist/',
    'screenshots/',
    '**/node_modules/',
    'libs/database/src/generated/',
    '.hcp/',
    'bench/results/',
  ]),
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.cts'],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: 'tsconfig.test.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // One row of a table may be an object type or an interface; both read well.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // Ports have async methods whose double does not wait.
      '@typescript-eslint/require-await': 'off',
      // `text || fallback` treats the empty text as absent, on purpose where it is written.
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      // A name from outside reads as data in brackets.
      '@typescript-eslint/dot-notation': 'off',
      // What refuses control characters has to name them.
      'no-control-regex': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'TSAsExpression > TSAsExpression > TSAnyKeyword, TSTypeAssertion > TSAnyKeyword',
          message: 'any hides what the types know',
        },
      ],
    },
  },
  {
    // Nest reads constructor parameters' classes at run time, which a type-only import would erase.
    files: ['apps/api/**/*.ts', 'apps/worker/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off', '@typescript-eslint/no-extraneous-class': 'off' },
  },
  {
    // A lib gets its settings from whoever makes it.
    files: ['libs/*/src/**/*.ts'],
    ignores: ['libs/testing/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'libs get their settings passed in; apps read them in env.ts' },
      ],
    },
  },
  {
    files: ['apps/dashboard/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat['recommended-latest']],
  },
  {
    // The command line is the one face that prints.
    files: ['apps/cli/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: { globals: NODE_GLOBALS },
    rules: { eqeqeq: 'error', 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
]);
