// Configuration of the web tools.
import { Type } from 'typebox'

const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })

/** Location of the results in the JSON of a custom endpoint. */
const Mapping = Type.Object(
  {
    results: Type.String({ default: 'results', description: 'Path to the list of results, such as `data.items`.' }),
    title: Type.String({ default: 'title', description: 'Path to the title within a result.' }),
    url: Type.String({ default: 'url', description: 'Path to the address within a result.' }),
    snippet: Type.String({ default: 'snippet', description: 'Path to the text within a result.' })
  },
  { additionalProperties: false, default: {} }
)

export const WebSchema = Type.Object(
  {
    allow: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts that pages are fetched from without asking: names, or *.domain for all its subdomains. A port other than 80 and 443 is reached only where it is named here.'
    }),
    local: Type.Array(Type.String({ format: 'host' }), {
      default: [],
      description:
        'Hosts of this machine or of a private network that may be fetched from though nobody on the internet reaches them, such as localhost:3000. Each call is asked about, unless `web.allow` names the host too.'
    }),
    contact: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x27\\x2a-\\x7e]{1,200}$',
        description: 'URL or mail address that those whose pages are read may turn to; told in the user agent.'
      })
    ),
    max_bytes: count(5_242_880, 'Most that is read of one answer, once it is unpacked.'),
    search: Type.Object(
      {
        provider: Type.Optional(
          Type.Enum(['searxng', 'brave', 'tavily', 'json'], {
            description: 'Who answers `web_search`; `json` is an endpoint of your own. None by default.'
          })
        ),
        url: Type.Optional(
          Type.String({
            pattern: '^https?://',
            description:
              'Where the provider is: of SearXNG its address, of `json` one with {query} and perhaps {count} in it. Brave and Tavily have one. It may be on this machine or a private network.'
          })
        ),
        key_env: Type.Optional(
          Type.String({
            description: 'Environment variable that holds the key; BRAVE_API_KEY or TAVILY_API_KEY by default.'
          })
        ),
        mapping: Mapping
      },
      { additionalProperties: false, default: {} }
    )
  },
  { additionalProperties: false, default: {} }
)
