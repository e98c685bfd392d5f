import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * Starts DynamoDB Local on 127.0.0.1 and a free port, and prints its address. Its own command line accepts a port but
 * not an address: it would listen on every network interface, where others could read the leads.
 * Run as a source file, which needs a JDK. Only its own main method sets up telemetry, so there is none here.
 */
public class LoopbackOnly {
  public static void main(String[] args) throws Exception {
    var proxy = ServerRunner.createServerFromCommandLineArgs(args);
    var field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    var server = (Server) field.get(proxy);
    var connector = (ServerConnector) server.getConnectors()[0];
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    proxy.safeStart();
    System.out.println("listening on http://127.0.0.1:" + connector.getLocalPort());
    server.join();
  }
}
