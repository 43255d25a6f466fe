/** What is changed in the style of Swagger UI, as the browser gets it. */
export const SWAGGER_STYLE = `.swagger-ui .wrapper {
  padding: 0 20px;
}
`
