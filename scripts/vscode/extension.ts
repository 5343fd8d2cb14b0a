// Builds the extension for VS Code.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'

export const EXTENSION = path.resolve(import.meta.dirname, '../../clients/vscode')

/** Bundles the extension with the client library into one file of the folder. */
export async function bundleExtension(folder: string): Promise<string> {
  const outfile = path.join(folder, 'extension.cjs')
  await build({
    entryPoints: [path.join(EXTENSION, 'src/extension.ts')],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    // The Node of the oldest VS Code that the extension supports.
    target: 'node20.16',
    external: ['vscode'],
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 100,
    legalComments: 'none',
    logLevel: 'warning'
  })
  return outfile
}

/** Packs the bundled extension into a folder, and returns the path of the VSIX. */
export async function packExtension(folder: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(path.join(EXTENSION, 'package.json'), 'utf8')) as { version: string }
  const file = path.resolve(folder, `toolgate-${version}.vsix`)
  const vsce = path.join(EXTENSION, 'node_modules/@vscode/vsce/vsce')
  await execa(process.execPath, [vsce, 'package', '--no-dependencies', '--out', file], { cwd: EXTENSION })
  return file
}
