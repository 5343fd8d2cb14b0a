// npm run package -- [folder]: builds the folder for `npm pack` and `npm publish`, build/package by default. It contains only
// what users need: the bundle, one declaration file per export, documents, clients, examples and the licenses of bundled
// packages. The packages with the launcher (scripts/package-launchers.ts) and with Node (scripts/package-nodes.ts) become optional
// dependencies here, because the lock file of the repository cannot contain packages that are not published yet.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { execaSync } from 'execa'
import { globbySync } from 'globby'
import { launcherPackage } from '../src/host/sandbox/landlock/launcher.ts'
import { PROCESSORS } from './launcher.ts'
import { NODE_PLATFORMS, nodePackage } from './node-packages.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

/** The used part of the bundler's API; this project's compiler does not see the packages of `tools`. */
interface Rollup {
  rollup(options: { input: string; plugins: object[]; external: RegExp }): Promise<{
    generate(options: { format: 'es' }): Promise<{ output: [{ code: string }] }>
  }>
}

const [TARGET = 'build/package'] = process.argv.slice(2)
/** Compiler output to be bundled; placed here, so that the types of packages resolve. */
const TYPES = `./dist-types-${process.pid}`
const FILES = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'openapi.yaml',
  'openapi-hub.yaml',
  'bin/**',
  'clients/**',
  // The extension is published as a VSIX.
  '!clients/vscode/**',
  '!clients/*/{test,tests}/**',
  '!clients/python/dist/**',
  '!**/__pycache__/**',
  'dist/**/*.{br,css,gz,html,js,svg,wasm}',
  'docs/**/*.md',
  'examples/**'
]
/** Fields of package.json that users of the package need. */
const FIELDS = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'homepage',
  'bugs',
  'repository',
  'type',
  'bin',
  'exports',
  'engines',
  'dependencies'
]

execaSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
execaSync(process.execPath, ['scripts/install-package.ts', 'tools'], { stdio: 'inherit' })
execaSync(process.execPath, ['scripts/tool-types.ts'], { stdio: 'inherit' })
const requireTool = createRequire(path.resolve('tools/package.json'))
const { rollup } = requireTool('rollup') as Rollup
const { dts } = requireTool('rollup-plugin-dts') as { dts(options: { tsconfig: string }): object }
rmSync(TARGET, { recursive: true, force: true })
for (const file of globbySync(FILES)) cpSync(file, path.join(TARGET, file))

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>
const launchers = Object.keys(PROCESSORS).map(processor => [launcherPackage(processor), manifest.version])
const nodes = Object.keys(NODE_PLATFORMS).map(platform => [nodePackage(platform), manifest.version])
const packed = {
  ...Object.fromEntries(FIELDS.map(field => [field, manifest[field]])),
  optionalDependencies: {
    ...(manifest.optionalDependencies as object),
    ...Object.fromEntries([...launchers, ...nodes])
  }
}
put('package.json', `${JSON.stringify(packed, null, 2)}\n`)
put('THIRD_PARTY_NOTICES.txt', thirdPartyNotices())
try {
  await writeDeclarations(manifest.exports as Record<string, { types: string; default: string }>)
} finally {
  rmSync(TYPES, { recursive: true, force: true })
}

/** Writes one declaration file per export, with all types that it refers to except those of other packages. */
async function writeDeclarations(doors: Record<string, { types: string; default: string }>) {
  // `npm run check` checks the sources; here they are only transpiled, in a fifth of the time.
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', TYPES]
  execaSync(process.execPath, tsc, { stdio: 'inherit' })
  for (const { types, default: module } of Object.values(doors)) {
    const declaration = await bundleDeclaration(types.replace('./dist', TYPES))
    const values = Object.keys(await import(pathToFileURL(path.resolve(module)).href))
    put(types, exportOnlyTypes(declaration, values))
  }
}

/** Returns the declaration file bundled with its imports, which are compiled already. */
async function bundleDeclaration(file: string): Promise<string> {
  const bundle = await rollup({ input: file, plugins: [dts({ tsconfig: 'tsconfig.build.json' })], external: /^[^./]/ })
  const { output } = await bundle.generate({ format: 'es' })
  return output[0].code
}

/** Removes value exports of names that only export a type: a schema and its type share a name, and the bundler exports both. */
function exportOnlyTypes(declaration: string, values: readonly string[]): string {
  return declaration.replace(/^export \{ (.*) \};$/m, (_, list: string) => {
    const isValue = (name: string) => values.includes(name.replace(/^.* as /, ''))
    const names = list.split(', ')
    const typesAlone = names.filter(name => !isValue(name))
    const exported = `export { ${names.filter(isValue).join(', ')} };`
    return typesAlone.length === 0 ? exported : `${exported}\nexport type { ${typesAlone.join(', ')} };`
  })
}

function put(name: string, content: string) {
  const file = path.join(TARGET, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}
