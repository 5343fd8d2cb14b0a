// The responding server, as reported with every answer.
import { type Static, Type } from 'typebox'

export const Responder = Type.Object(
  {
    server: Type.String({ description: 'Name of the language server.' }),
    version: Type.Optional(Type.String({ description: 'Version of the language server, if it reports one.' })),
    root: Type.String({ description: 'Project root that the language server uses, relative to the workspace root.' }),
    readiness: Type.Enum(['ready', 'loading', 'partial'], {
      description:
        'loading: the language server is still loading the project, so there may be more results. partial: it knows only open files and their imports, so there may be results in other files.'
    }),
    document: Type.Optional(
      Type.Object(
        {
          path: Type.String({ description: 'File that the request was about.' }),
          hash: Type.String({ description: 'sha256 of the text that the language server used.' }),
          unsaved: Type.Optional(
            Type.Boolean({ description: 'True if the language server used unsaved text of an editor.' })
          )
        },
        { description: 'Version of the file that was used.' }
      )
    )
  },
  { description: 'Language server that answered, and the version of the file that it used.' }
)

/** Returns the reason why results may be missing; undefined if the server knows the whole project. */
export function incompleteReason({ server, readiness }: Pick<Static<typeof Responder>, 'server' | 'readiness'>) {
  if (readiness === 'ready') return undefined
  return readiness === 'loading'
    ? `${server} has not loaded the whole project yet`
    : `${server} knows only the queried files and their imports`
}

/** Returns notes on the responding servers. */
export function responderNotes(answered: readonly Static<typeof Responder>[]): string[] {
  return [
    ...answered.map(({ server, version }) => `(From ${server}${version === undefined ? '' : ` ${version}`}.)`),
    ...answered.flatMap(answerer => {
      const known = incompleteReason(answerer)
      return known === undefined ? [] : [`(${known}: there may be more results.)`]
    }),
    ...answered.flatMap(({ document }) =>
      document?.unsaved ? [`(The language server used the unsaved text of ${document.path} in an editor.)`] : []
    )
  ]
}

export const truncatedNote = (shown: number, total: number) =>
  `(The first ${shown} of ${total} results; increase \`limit\` to see more.)`
