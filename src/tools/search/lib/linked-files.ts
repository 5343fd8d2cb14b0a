// Links to files among the results of a search by name.
import { resolveLinks } from '../../../host/search/linked-files.ts'
import type { RunContext } from '../../../tool/contexts.ts'

interface LinkedFiles {
  files: string[]
  /** Links that, or whose files, may hold credentials. */
  sensitive: string[]
  /** The file of each link. */
  targets: ReadonlyMap<string, string>
}

interface LinkSearch {
  no_ignore: boolean
  /** Returns those that match: only these are resolved. */
  select(links: readonly string[]): readonly string[]
}

/**
 * Returns the links below a folder that lead to files. Policy has decided on everything in the folder; a link that leads to a file
 * elsewhere is omitted unless the caller may read that.
 */
export async function linkedFilesBelow(
  { path, prefix }: { path: string; prefix: string },
  { no_ignore, select }: LinkSearch,
  { host, signal, canReveal }: RunContext
): Promise<LinkedFiles> {
  const links = await host.list.links(path, { ignored: no_ignore, signal })
  const resolved = await resolveLinks(select(links), host.files, signal)
  const shown = resolved.filter(({ link, target }) => target.startsWith(prefix) || canReveal({ path: link }))
  return {
    files: shown.flatMap(({ link, sensitive }) => (sensitive ? [] : [link])),
    sensitive: shown.flatMap(({ link, sensitive }) => (sensitive ? [link] : [])),
    targets: new Map(shown.map(({ link, target }) => [link, target]))
  }
}
