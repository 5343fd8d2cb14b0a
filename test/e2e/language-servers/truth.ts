// Converts the answers of a direct client to the form of call results. Position conversion is implemented separately: lines from
// 1, columns from 1 in characters.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../start-app.ts'
import type { DirectLspClient } from './client.ts'
import type { LspProject } from './projects.ts'

const SEVERITIES = ['error', 'warning', 'information', 'hint']

/** Sends every query about a project and returns the answers. */
export async function askDirectly(client: DirectLspClient, project: LspProject) {
  const { file, faults, at } = project
  const lines = readFileSync(path.join(client.folder, file), 'utf8').split('\n')
  const faulty = faults.map(fault => lines.findIndex(line => line.includes(fault)))
  const line = lines.findIndex(one => one.includes(at))
  const asked = { textDocument: { uri: client.uriOf(file) }, position: { line, character: lines[line]!.indexOf(at) } }

  client.open(file, project.language)
  const isAll = (found: Json[]) => faulty.every(fault => found.some(({ range }) => range.start.line === fault))
  const found = await client.until(async () => {
    const told = client.pulls() ? await client.pulled(file) : client.published(file)
    return told && isAll(told) ? told : undefined
  })
  if (project.reads_on)
    await client.until(() => client.messages.some(({ params }) => params?.value?.kind === 'end') || undefined)
  const places = async (method: 'definition' | 'references') => {
    if (project.lacks?.includes(method)) return undefined
    const answer = await client.request(`textDocument/${method}`, { ...asked, context: { includeDeclaration: true } })
    return [answer ?? []].flat().map((one: Json) => toLocation(client, one))
  }
  return {
    asked: { path: file, line: line + 1, col: [...lines[line]!.slice(0, asked.position.character)].length + 1 },
    diagnostics: found.map((one: Json) => ({
      ...toLocation(client, { uri: asked.textDocument.uri, range: one.range }),
      severity: SEVERITIES[(one.severity ?? 1) - 1],
      message: one.message,
      ...(one.code !== undefined && { code: String(one.code) }),
      ...(one.source !== undefined && { source: one.source })
    })),
    definition: await places('definition'),
    references: await places('references')
  }
}

function toLocation({ folder }: DirectLspClient, found: Json) {
  const file = fileURLToPath(found.uri ?? found.targetUri)
  const { start, end } = found.range ?? found.targetSelectionRange
  const lines = readFileSync(file, 'utf8').split('\n')
  const column = ({ line, character }: Json) => [...(lines[line] ?? '').slice(0, character)].length + 1
  return {
    path: path.relative(folder, file),
    line: start.line + 1,
    column: column(start),
    end_line: end.line + 1,
    end_column: column(end),
    text: lines[start.line]
  }
}
