// Builds dist/ anew from src/ and web/: what the installed package runs. The code is bundled, and the packages with it, because a
// start that reads a thousand small files takes twice as long as one that reads a few.
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'

// It takes some seconds, in which a person at a terminal would see nothing.
if (process.stderr.isTTY) console.error('Building …')

/** Packages that stay packages: one brings a program along, the others are rarely loaded. */
const NOT_BUNDLED = ['@lydell/node-pty', '@vscode/ripgrep', 'prom-client', 'unpdf']
/** Packages whose CommonJS form hides what it loads, so that their other form is taken. */
const AS_MODULES = { 'jsonc-parser': path.resolve('node_modules/jsonc-parser/lib/esm/main.js') }
/** CommonJS packages within the bundle load Node's own modules in their way. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`

/**
 * A CommonJS package that is loaded late has its names for Node; esbuild would give it whole, as the default, and nothing
 * else. So what Node finds is written out, and the bundle means what the source means.
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

// Made beside the old one, so that nobody finds half of it.
const fresh = `dist-${process.pid}`
const common = { bundle: true, format: 'esm', outdir: fresh } as const
await build({
  ...common,
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    // Started by their paths, from whichever chunk holds what starts them.
    { in: 'src/host/store/store-worker.ts', out: 'lib/store-worker' },
    { in: 'src/host/code/index-worker.ts', out: 'lib/index-worker' },
    { in: 'src/host/compute/compute-worker.ts', out: 'lib/compute-worker' },
    { in: 'src/host/compute/pdf-worker.ts', out: 'lib/pdf-worker' },
    { in: 'src/host/processes/pty-host.ts', out: 'lib/pty-host' },
    { in: 'src/host/modules/guest.ts', out: 'lib/module-guest' }
  ],
  chunkNames: 'lib/[name]-[hash]',
  splitting: true,
  platform: 'node',
  target: 'node24',
  external: NOT_BUNDLED,
  alias: AS_MODULES,
  plugins: [NAMES_OF_LATE_PACKAGES],
  banner: { js: REQUIRE }
})
// What a custom tool or a hook imports, in one file each: it is loaded with each of them.
await build({
  ...common,
  entryPoints: [
    { in: 'src/authoring/tool.ts', out: 'authoring/tool' },
    { in: 'src/authoring/hook.ts', out: 'authoring/hook' }
  ],
  platform: 'node',
  target: 'node24',
  minify: true
})
// What finds the server for the client, in Node.
await build({
  ...common,
  entryPoints: [{ in: 'src/client/discover.ts', out: 'client/discover' }],
  platform: 'node',
  target: 'node24'
})
// The client runs in browsers too.
await build({
  ...common,
  entryPoints: [{ in: 'src/client/client.ts', out: 'client/client' }],
  platform: 'browser',
  target: 'es2022'
})
// The console, which browsers load.
await build({
  ...common,
  entryPoints: [
    { in: 'web/main.tsx', out: 'web/app' },
    { in: 'web/app.css', out: 'web/app' }
  ],
  // Panels are loaded when they are first shown.
  splitting: true,
  chunkNames: 'web/[name]-[hash]',
  platform: 'browser',
  target: 'es2022',
  minify: true
})
for (const page of ['index.html', 'icon.svg']) copyFileSync(path.join('web', page), path.join(fresh, 'web', page))
for (const file of readdirSync(path.join(fresh, 'web'))) compress(path.join(fresh, 'web', file))
// Read by their paths too: the grammar of command lines, and what runs it.
for (const grammar of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'])
  copyFileSync(path.join('node_modules', grammar), path.join(fresh, 'lib', path.basename(grammar)))
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', fresh]
execFileSync(process.execPath, tsc, { stdio: 'inherit' })
rmSync('dist', { recursive: true, force: true })
renameSync(fresh, 'dist')

/** Leaves the smaller forms of a file beside it, so that nobody waits for them. */
function compress(file: string) {
  const content = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(content))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}
