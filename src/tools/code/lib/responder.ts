// The responding server, as reported with every answer.
import { type Static, Type } from 'typebox'

export const Responder = Type.Object(
  {
    server: Type.String({ description: 'The language server.' }),
    version: Type.Optional(Type.String({ description: 'Its version, where it says so.' })),
    root: Type.String({ description: "Folder that it takes for the project's root, relative to the workspace's." }),
    readiness: Type.Enum(['ready', 'loading', 'partial'], {
      description:
        'loading: it had not read the whole project yet, so there may be more. partial: it knows only the files that it was asked about and what they lead to, so other files may hold more.'
    }),
    document: Type.Optional(
      Type.Object(
        {
          path: Type.String({ description: 'The file that was asked about.' }),
          hash: Type.String({ description: 'sha256 of the text that it saw.' }),
          unsaved: Type.Optional(Type.Boolean({ description: 'That was what an editor holds and has not saved.' }))
        },
        { description: 'The version of the file that it saw.' }
      )
    )
  },
  { description: 'Who answered, and on what.' }
)

/** Returns the reason why results may be missing; undefined if the server knows the whole project. */
export function incompleteReason({ server, readiness }: Pick<Static<typeof Responder>, 'server' | 'readiness'>) {
  if (readiness === 'ready') return undefined
  return readiness === 'loading'
    ? `${server} has not read the whole project yet`
    : `${server} knows only the files that it was asked about, and what they lead to`
}

/** Returns notes on the responding servers. */
export function responderNotes(answered: readonly Static<typeof Responder>[]): string[] {
  return [
    ...answered.map(({ server, version }) => `(By ${server}${version === undefined ? '' : ` ${version}`}.)`),
    ...answered.flatMap(answerer => {
      const known = incompleteReason(answerer)
      return known === undefined ? [] : [`(${known}: there may be more.)`]
    }),
    ...answered.flatMap(({ document }) =>
      document?.unsaved ? [`(It saw the text of ${document.path} that an editor has not saved.)`] : []
    )
  ]
}

export const truncatedNote = (shown: number, total: number) =>
  `(The first ${shown} of ${total}: raise the limit to see more.)`
