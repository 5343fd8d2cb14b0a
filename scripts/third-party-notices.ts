// Collects the licenses of the packages whose code is bundled into dist/, as their terms require.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Written by the bundler: the folders of the bundled packages. */
const BUNDLED = 'dist/.packages.json'
const LICENSE_FILES = '{LICENSE,LICENCE,License,license,COPYING,NOTICE}*'

/** Returns the name, version and license text of every bundled package. Throws if a license cannot be found. */
export function thirdPartyNotices(): string {
  const folders = JSON.parse(readFileSync(BUNDLED, 'utf8')) as string[]
  const notices = folders.map(folder => {
    const { name, version, license, author } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
      license?: string
      author?: string | { name: string }
    }
    const texts = globSync(path.join(folder, LICENSE_FILES)).map(file => readFileSync(file, 'utf8').trim())
    if (texts.length === 0) {
      if (license === undefined) throw new Error(`${folder} states no license: it must not be bundled.`)
      const by = typeof author === 'object' ? author.name : author
      texts.push(`License: ${license}${by ? `\nAuthor: ${by}` : ''}`)
    }
    return `${name} ${version}\n\n${texts.join('\n\n')}`
  })
  const intro = 'Toolgate contains code of the following packages.'
  return `${[intro, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
