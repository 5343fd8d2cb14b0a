// Bundles src/ and web/ into dist/, which the installed package runs. Packages are bundled too: a start that reads a thousand
// small files takes twice as long as one that reads a few.
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { renderReference } from './reference/render-reference.ts'

/** External packages: one contains a program, the others are rarely loaded. */
const NOT_BUNDLED = ['@electric-sql/pglite', '@lydell/node-pty', '@vscode/ripgrep', 'prom-client', 'unpdf']
/** Packages whose CommonJS form hides its imports, so that the ESM form is bundled. */
const AS_MODULES = { 'jsonc-parser': path.resolve('node_modules/jsonc-parser/lib/esm/main.js') }
/** CommonJS packages in the bundle use `require` for Node's own modules. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`

/**
 * Plugin for CommonJS packages that are imported dynamically: Node detects their named exports, esbuild gives only a default
 * export. The names that Node finds are written out, so that the bundle behaves like the source.
 */
const NAMES_OF_LATE_PACKAGES: Plugin = {
  name: 'names of late packages',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^.]/ }, async ({ kind, path: id, resolveDir, importer }) => {
      if (kind !== 'dynamic-import' || id in AS_MODULES) return
      const found = await resolve(id, { kind: 'import-statement', resolveDir, importer })
      if (found.external || found.errors.length > 0) return found
      const names = Object.keys(await import(pathToFileURL(found.path).href))
      return names.includes('module.exports')
        ? {
            path: found.path,
            namespace: 'late',
            pluginData: names.filter(name => /^(?!default$|__)[\w$]+$/.test(name))
          }
        : found
    })
    onLoad({ filter: /./, namespace: 'late' }, ({ path: file, pluginData: names }) => ({
      contents: `const whole = require(${JSON.stringify(file)})
        export default whole
        export const { ${names.join(', ')} } = whole`,
      resolveDir: path.dirname(file)
    }))
  }
}

// Built beside the old folder and renamed at the end, so that no process reads half of it.
const fresh = `dist-${process.pid}`
const common = { bundle: true, format: 'esm', outdir: fresh, metafile: true } as const
/**
 * Options of all that Node runs. V8 keeps the text of a script as long as one of its functions is in use, with two bytes for each
 * character if one is outside Latin-1. Names are kept for stack traces, and lines are short enough for them to name a place.
 */
const program = {
  ...common,
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 100,
  // Published in THIRD_PARTY_NOTICES.txt, for all packages.
  legalComments: 'none'
} as const
const LOADED_AT_START = ['src/main.ts', 'src/cli/commands/server/serve.ts', 'src/app.ts', 'src/store/store-worker.ts']
/** Folders of the packages that code was bundled from, relative to here. */
const bundledPackages = new Set<string>()
await bundle({
  ...program,
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    // Started by their paths, from whichever chunk contains the caller.
    { in: 'src/store/store-worker.ts', out: 'lib/store-worker' },
    { in: 'src/store/log-worker.ts', out: 'lib/log-worker' },
    { in: 'src/store/journal-check-worker.ts', out: 'lib/journal-check-worker' },
    { in: 'src/host/code/index-worker.ts', out: 'lib/index-worker' },
    { in: 'src/host/compute/compute-worker.ts', out: 'lib/compute-worker' },
    { in: 'src/host/compute/pdf-process.ts', out: 'lib/pdf-process' },
    { in: 'src/host/compute/pdf-worker.ts', out: 'lib/pdf-worker' },
    { in: 'src/host/processes/pty-host.ts', out: 'lib/pty-host' },
    { in: 'src/host/modules/guest.ts', out: 'lib/module-guest' }
  ],
  chunkNames: 'lib/[name]-[hash]',
  splitting: true,
  external: NOT_BUNDLED,
  alias: AS_MODULES,
  plugins: [NAMES_OF_LATE_PACKAGES],
  banner: { js: REQUIRE }
})
// The imports of custom tools and hooks, in one file each: loaded with each of them.
await bundle({
  ...program,
  entryPoints: [
    { in: 'src/authoring/tool.ts', out: 'authoring/tool' },
    { in: 'src/authoring/hook.ts', out: 'authoring/hook' }
  ],
  minifyIdentifiers: true
})
// Server discovery for the client, in Node.
await bundle({
  ...program,
  entryPoints: [{ in: 'src/node-client/discover.ts', out: 'node-client/discover' }]
})
// The client runs in browsers too.
await bundle({
  ...common,
  entryPoints: [{ in: 'src/client/client.ts', out: 'client/client' }],
  platform: 'browser',
  target: 'es2022'
})
// The console, which browsers load.
await bundle({
  ...common,
  entryPoints: [
    { in: 'web/main.tsx', out: 'web/app' },
    { in: 'web/app.css', out: 'web/app' }
  ],
  // Panels are loaded when first shown.
  splitting: true,
  chunkNames: 'web/[name]-[hash]',
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  minify: true
})
// The console's workers: the syntax highlighters, which are loaded when a text needs them, and that of an installed console.
await bundle({
  ...common,
  entryPoints: [
    { in: 'web/highlight/worker.ts', out: 'web/highlight-worker' },
    { in: 'web/highlight/shell-worker.ts', out: 'web/shell-worker' },
    { in: 'web/service-worker.ts', out: 'web/service-worker' }
  ],
  // Grammars are loaded when a text needs them.
  splitting: true,
  chunkNames: 'web/highlight-[name]-[hash]',
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  minify: true
})
for (const page of ['index.html', 'icon.svg', 'icon-192.png', 'icon-512.png', 'manifest.webmanifest', 'reference.css'])
  copyFileSync(path.join('web', page), path.join(fresh, 'web', page))
for (const [page, document] of [
  ['reference.html', 'openapi.yaml'],
  ['hub-reference.html', 'openapi-hub.yaml']
] as const)
  writeFileSync(path.join(fresh, 'web', page), renderReference(readFileSync(document, 'utf8')))
for (const file of readdirSync(path.join(fresh, 'web'))) compress(path.join(fresh, 'web', file))
// Also read by path: the grammar of command lines and its runtime.
for (const grammar of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'])
  copyFileSync(path.join('node_modules', grammar), path.join(fresh, 'lib', path.basename(grammar)))
// The packages whose licenses are published with ours.
writeFileSync(path.join(fresh, '.packages.json'), JSON.stringify([...bundledPackages].sort(), null, 2))
replaceDist()

async function bundle(options: BuildOptions & { metafile: true }) {
  const { metafile } = await build(options)
  assertOneByteText(metafile.outputs)
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      // The innermost package: packages may contain packages.
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replace(/^late:/, '')) ?? []
      if (folder !== undefined && bytesInOutput > 0) bundledPackages.add(path.relative('', folder))
    }
}

/** Fails if a script that each start of the server loads has a character that makes V8 keep its text in two bytes. */
function assertOneByteText(outputs: Metafile['outputs']) {
  const loaded = new Set(Object.keys(outputs).filter(file => LOADED_AT_START.includes(outputs[file]!.entryPoint ?? '')))
  for (const file of loaded) {
    for (const { path: imported, kind } of outputs[file]!.imports)
      if (kind === 'import-statement' && imported in outputs) loaded.add(imported)
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find(text => /[^\p{ASCII}]/u.test(text))
    if (line !== undefined) throw new Error(`Write the characters beyond ASCII as escapes: ${line}`)
  }
}

/** Replaces the old folder by the new one. Another build may do the same concurrently; the first one wins. */
function replaceDist() {
  const old = `${fresh}-old`
  if (existsSync('dist')) renameSync('dist', old)
  try {
    renameSync(fresh, 'dist')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
  for (const folder of [old, fresh]) rmSync(folder, { recursive: true, force: true })
}

/** Compresses a file ahead of time, next to it. */
function compress(file: string) {
  const content = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(content))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}
