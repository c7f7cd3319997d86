/** A Worker with a service binding to Edgeflake: calls the method that it is told, and says what came of it. */
export default {
  async fetch(request, env) {
    const { method, args } = await request.json();
    try {
      return Response.json({ value: await env.IDS[method](...args) });
    } catch (error) {
      return Response.json({ message: error.message, problem: { ...error } });
    }
  },
};
